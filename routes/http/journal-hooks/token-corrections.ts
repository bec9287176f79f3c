import { isObject } from '../../../state/kernel/objects.ts'
import type { Amendment, Correction, ExplainedRequest } from './api-explanations.ts'

/** A refused request and the header in which the dialect sends tokens. */
export interface RefusedRequest extends ExplainedRequest {
  readonly tokenHeader: string
}

/**
 * Function that corrects requests that were refused for one reason. Returns null if no request can
 * avoid the refusal, and undefined if no correction is known.
 */
export type Corrector = (request: RefusedRequest) => Correction | null | undefined

/**
 * Returns a function that corrects requests by the rule of their refusal. The function returns
 * undefined if no correction is known, and null if no request can avoid the refusal.
 *
 * @param header header in which the dialect sends tokens
 * @param correctDenied correction for refused access whose rule is not in `corrections`
 */
export function correctionsByRule(
  header: string,
  corrections: Readonly<Record<string, Corrector>>,
  correctDenied: Corrector,
) {
  const tokenHeader = header.toLowerCase()
  return (request: ExplainedRequest, rule: string): Correction | null | undefined => {
    const correct =
      corrections[rule] ?? (request.refusal?.kind === 'denied' ? correctDenied : undefined)
    return correct?.({ ...request, tokenHeader })
  }
}

/**
 * Returns functions that correct requests to an API whose management tokens have all rights.
 *
 * @param findToken returns a management token of the world that is valid at the time of the request
 */
export function managementCorrections(
  findToken: (request: ExplainedRequest) => string | undefined,
) {
  const managementHeaders = (request: RefusedRequest): Amendment['headers'] => {
    const token = findToken(request)
    return token === undefined
      ? undefined
      : { authorization: undefined, [request.tokenHeader]: token }
  }
  const withManagementToken = (request: RefusedRequest): Correction | undefined => {
    const headers = managementHeaders(request)
    if (headers === undefined || headers[request.tokenHeader] === request.token) return undefined
    return { change: 'Send a management token', request: { headers } }
  }
  const withToken = (request: RefusedRequest): Correction | undefined => {
    const correction = withManagementToken(request)
    return correction && { request: correction.request }
  }
  return {
    /** Returns headers that send a management token; undefined if the world has no such token. */
    managementHeaders,
    /**
     * Returns a correction that sends a management token; undefined if the world has no such token
     * or the request already sent the token.
     */
    withManagementToken,
    /**
     * Returns the correction of `withManagementToken` without a sentence of advice, because the
     * diagnosis already contains the advice.
     */
    withToken,
  }
}

/**
 * Returns a correction that sets a member of the body.
 *
 * @param valueFor returns the new value from the value in the request, which is undefined if the
 *   member is missing
 */
export function withMember(
  name: string,
  valueFor: (sent: unknown, request: RefusedRequest) => unknown,
): Corrector {
  return (request) => {
    const value = valueFor(Object(request.body)[name], request)
    return {
      change: `Send "${name}": ${JSON.stringify(value)}`,
      request: { body: (body) => ({ ...(isObject(body) ? body : {}), [name]: value }) },
    }
  }
}

/**
 * Returns a function that converts a value to a similar name. The name consists of letters, digits
 * and hyphens, begins with `my`, and has at most `length` characters.
 */
export function labelsUpTo(length: number) {
  return (sent: unknown): string => {
    const words = String(sent ?? '').match(/[a-z\d]+/gi) ?? []
    return ['my', ...words].join('-').slice(0, length)
  }
}
