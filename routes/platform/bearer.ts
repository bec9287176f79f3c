import type { FastifyRequest } from 'fastify'

/** Returns the token of `Authorization: Bearer <token>`; undefined without a bearer token. */
export function bearerOf({ headers: { authorization } }: FastifyRequest): string | undefined {
  return bearerIn(authorization)
}

/**
 * Returns the token in the value of the header `Authorization`; undefined without a bearer token.
 */
export function bearerIn(authorization: string | undefined): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
}
