import { expect } from 'vitest'
import type { Reply } from '../../support/secrets/secrets.ts'

/** The envelope with every key, changed as told (behaviour/secrets#envelope). */
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

/** A reply's status and body, as tests compare them. */
export function statusAndBody({ status, body }: Reply): { status: number; body: unknown } {
  return { status, body }
}

/** 204 without a body. */
export const noContent = { status: 204, body: undefined }

/** 200 with an envelope. */
export const ok = (changes: Readonly<Record<string, unknown>>) => ({
  status: 200,
  body: envelope(changes),
})

/** An error with texts, or none. */
export const error = (status: number, ...errors: readonly string[]) => ({
  status,
  body: { errors },
})

/** The form of errors that handlers raise (`W`). */
export const multierrorReply = (status: number, text: string) =>
  error(status, `1 error occurred:\n\t* ${text}\n\n`)
