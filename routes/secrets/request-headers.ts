import type { FastifyRequest } from 'fastify'
import type { World } from '../../state/kernel/world.ts'
import { requireIndexState } from '../../state/secrets/index-state.ts'
import { apiHeader, apiHeaderValues } from './dialect.ts'
import type { Wrapping } from './operation.ts'
import { wrapTtlOf } from './request.ts'
import { refuse } from './texts.ts'

/** How the answer is to be wrapped; formats other than `jwt` count as none. */
export function wrappingOf(request: FastifyRequest): Wrapping | undefined {
  const ttl = wrapTtlOf(apiHeader(request.headers, 'wrap-ttl'))
  if (ttl === undefined) return undefined
  const signed = apiHeader(request.headers, 'wrap-format') === 'jwt'
  return { ttl, address: signed ? request.worldOrigin : undefined }
}

/** 412 without `X-Secrets-Request: true`, where the option asks for it. */
export function checkRequestHeader(request: FastifyRequest): void {
  if (apiHeader(request.headers, 'request') !== 'true') {
    throw refuse('request-header-missing')
  }
}

/** 412 when the caller knows of writes that the world does not, unless it takes what there is. */
export function checkIndexState(world: World, { headers }: FastifyRequest): void {
  if (apiHeader(headers, 'inconsistent') === 'forward-active-node') return
  for (const state of apiHeaderValues(headers, 'index')) requireIndexState(world, state)
}
