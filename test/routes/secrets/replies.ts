import { expect } from 'vitest'
import type { Reply } from '../../support/secrets/secrets.ts'

/** Returns an envelope with every member, with changes (behaviour/secrets#envelope). */
export function envelope(changes: Readonly<Record<string, unknown>> = {}): object {
  return {
    request_id: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
    lease_id: '',
    renewable: false,
    lease_duration: 0,
    data: null,
    wrap_info: null,
    warnings: null,
    auth: null,
    ...changes,
  }
}

/** Returns status and body of a reply, as tests compare them. */
export function statusAndBody({ status, body }: Reply): { status: number; body: unknown } {
  return { status, body }
}

/** 204 without a body. */
export const noContent = { status: 204, body: undefined }

/** Returns a 200 reply with an envelope. */
export const ok = (changes: Readonly<Record<string, unknown>>) => ({
  status: 200,
  body: envelope(changes),
})

/** Returns an error reply with texts, possibly none. */
export const error = (status: number, ...errors: readonly string[]) => ({
  status,
  body: { errors },
})

/** Returns an error reply in the form of errors that handlers throw (`W`). */
export const multierrorReply = (status: number, text: string) =>
  error(status, `1 error occurred:\n\t* ${text}\n\n`)
