import { refuse } from '../../../state/secrets/mfa/messages.ts'
import type { MfaCredentials } from '../../../state/secrets/mfa/validation.ts'
import { apiHeaderValues } from '../dialect/dialect.ts'

/**
 * Returns the second factors in the headers of a login. A header value is `<id or name>:<code>`, or
 * only the id or name if the method has no codes. The header may occur several times.
 *
 * @throws Refusal `invalid` for a value without a method, or with a colon but without a code
 */
export function factorsInHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): MfaCredentials {
  const factors = new Map<string, string[]>()
  for (const value of apiHeaderValues(headers, 'mfa')) {
    if (value === '') continue
    const colon = value.indexOf(':')
    const method = colon < 0 ? value : value.slice(0, colon)
    if (method === '') throw refuse('mfa-header-without-method')
    const known = factors.get(method) ?? []
    if (colon < 0) factors.set(method, known)
    else {
      const code = value.slice(colon + 1)
      if (code === '') throw refuse('mfa-header-without-value')
      factors.set(method, [...known, code])
    }
  }
  return factors
}
