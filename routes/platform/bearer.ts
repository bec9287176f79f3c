import type { FastifyRequest } from 'fastify'

/** The token of `Authorization: Bearer <token>`; undefined without one. */
export function bearerOf({ headers: { authorization } }: FastifyRequest): string | undefined {
  return /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
}
