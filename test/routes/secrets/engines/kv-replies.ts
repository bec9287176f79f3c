import { expect } from 'vitest'
import { parseTimestamp } from '../../../../state/kernel/time.ts'
import { testTime } from '../../../support/secrets/secrets.ts'

/** Formats the instant of a test's start, or some milliseconds later, as replies do. */
export function at(milliseconds = 0): string {
  const text = new Date(testTime + milliseconds).toISOString()
  const trimmed = text.replace(/\.?0*Z$/, 'Z')
  if (parseTimestamp(trimmed) !== testTime + milliseconds)
    throw new Error(`${trimmed} is another instant`)
  return trimmed
}

/** Returns an envelope with some members changed (behaviour/secrets#envelope). */
export function envelope(changes: object): object {
  return {
    request_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
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

/** Returns version metadata, created at the test's start unless changed. */
export function versionMetadata(version: number, changes: object = {}): object {
  return {
    created_time: at(),
    custom_metadata: null,
    deletion_time: '',
    destroyed: false,
    version,
    ...changes,
  }
}

/** Returns key metadata without any settings, created at the test's start unless changed. */
export function keyMetadata(changes: object = {}): object {
  return {
    cas_required: false,
    created_time: at(),
    current_version: 0,
    custom_metadata: null,
    delete_version_after: '0s',
    max_versions: 0,
    oldest_version: 0,
    updated_time: at(),
    versions: {},
    ...changes,
  }
}

/** Returns a refusal with one text (`E`). */
export function refusedReply(status: number, text: string): object {
  return { status, body: { errors: [text] } }
}

/** The reply to reading something that does not exist (404 `E[]`). */
export const notFoundReply = { status: 404, body: { errors: [] } }

/** Returns status and body of a reply. */
export function statusAndBody({ status, body }: { status: number; body?: unknown }): object {
  return { status, body }
}

/** A reply without a body. */
export const noContent = { status: 204, body: undefined }
