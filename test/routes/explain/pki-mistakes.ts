import type { Mistake } from './mistakes.ts'

/** Request that mounts a PKI engine. */
export const mountPki = 'POST /v1/sys/mounts/pki {"type":"pki"}'

const root = '{"common_name":"Root","issuer_name":"main","key_name":"mine","key_type":"ec"}'

/** Requests that make a CA. */
export const authority = [mountPki, `POST /v1/pki/root/generate/internal ${root}`]

/** Requests that make a CA and a role that allows every name. */
export const web = [...authority, 'POST /v1/pki/roles/web {"allow_any_name":true,"key_type":"ec"}']

/** Mistake in a request below the mount: verb and path, body, rule, and words of the sentence. */
type MistakeRow = readonly [
  mistake: string,
  sent: string,
  body: object,
  rule: string,
  ...says: readonly string[],
]

/** Returns mistakes after the same requests. Each has a suggestion that is served. */
export function mistakesAfter(
  after: readonly string[],
  rows: readonly MistakeRow[],
  options: object = {},
): Mistake[] {
  return rows.map(([mistake, sent, body, rule, ...says]) => {
    const isPatch = sent.startsWith('PATCH ')
    const header = isPatch ? '@content-type=application/merge-patch+json ' : ''
    const json = sent.startsWith('GET ') ? '' : JSON.stringify(body)
    const request = `${sent.replace(' ', ' /v1/pki/')} ${header}${json}`
    return { mistake, options, after, sent: request, rule, says, passes: true }
  })
}
