import type { FastifyRequest } from 'fastify'
import { sentToken } from './caller-token.ts'
import type { RequestFacts } from './operation.ts'

/** What handlers see of a Fastify request. A class, because a literal with a getter is slow to make. */
export class FastifyFacts implements RequestFacts {
  readonly #request: FastifyRequest

  constructor(request: FastifyRequest) {
    this.#request = request
  }

  get id(): string {
    return this.#request.id
  }

  get clientToken(): string {
    return sentToken(this.#request)
  }

  get method(): string {
    return this.#request.method
  }

  get origin(): string {
    return this.#request.worldOrigin
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return typeof value === 'string' ? value : value?.[0]
  }
}
