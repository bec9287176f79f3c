import type { FastifyRequest } from 'fastify'

/** Returns the token of `Authorization: Bearer <token>`, or undefined without one. */
export function bearerOf({ headers: { authorization } }: FastifyRequest): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
}
