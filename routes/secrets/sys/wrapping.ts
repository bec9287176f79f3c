import { canonicalJson } from '../../../state/json/json.ts'
import { any, int, map, text, textOf } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import {
  findWrapping,
  opaqueTokenId,
  refuseWrapping,
  requireUnusedWrapping,
  rewrap,
  unwrap,
  unwrapTokenInUse,
  wrap,
} from '../../../state/secrets/wrapping/wrapping.ts'
import { JsonText } from '../../http/json-text.ts'
import { requireCaller } from '../dispatch/caller.ts'
import type { SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped, wrappedEnvelope } from '../envelope/schemas.ts'
import { refuse } from '../messages.ts'
import {
  type Call,
  operationsOf,
  type SecretsOperation,
  type UnauthenticatedCall,
} from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#wrapping' })

const tokenField = {
  token: described(text, 'The wrapping token; the client token if left out'),
} as const

type TokenCall = Call<object, { readonly token?: string }>

/**
 * Returns the wrapping token of a call: the field `token` or, if the field is missing, the client
 * token. Throws `wrapping-token-unreadable` if both are missing, and for an empty or malformed
 * field.
 */
function wrappingTokenOf({ input, request }: UnauthenticatedCall): string {
  const field = input['token']
  if (field === undefined || field === null) {
    if (request.clientToken === '')
      throw refuse('wrapping-token-unreadable', { why: 'token is empty' })
    return request.clientToken
  }
  if (typeof field !== 'string')
    throw refuse('wrapping-token-unreadable', { why: 'could not decode token in request body' })
  if (field === '')
    throw refuse('wrapping-token-unreadable', { why: 'empty token in request body' })
  return field
}

/**
 * Returns the token that authenticates a call. If the body contains the wrapping token, this is the
 * client token; otherwise it is the wrapping token itself. First refuses an invalid wrapping token.
 */
function resolveToken(call: UnauthenticatedCall): string {
  const { input, request, world } = call
  const { id } = requireUnusedWrapping(world, wrappingTokenOf(call))
  return input['token'] === undefined || input['token'] === null ? id : request.clientToken
}

function lookup(call: UnauthenticatedCall): SecretsOutcome {
  const info = findWrapping(call.world, wrappingTokenOf(call))
  if (info === undefined) throw refuseWrapping()
  return { kind: 'envelope', data: info }
}

const lookupReply = enveloped({
  creation_ttl: described(int, 'Seconds'),
  creation_time: textOf({ format: 'date-time' }),
  creation_path: text,
})

/**
 * Operations that wrap data in single-use tokens, and that look up, replace and unwrap such tokens.
 */
export const wrappingOperations: readonly SecretsOperation[] = [
  operation.write('wrap', 'wrapping/wrap', {
    secrets: { body: [''] },
    summary: 'Wrap the body.',
    acceptsUnknownFields: true,
    reply: { 200: wrappedEnvelope },
    run({ world, namespace, path, input, wrapping }) {
      if (wrapping === undefined || wrapping.ttl === 0) throw refuse('wrapping-required')
      const { ttl, address } = wrapping
      const request = { ttl, namespace, path, wrappedAccessor: '', address }
      return {
        kind: 'wrapped',
        reply: { kind: 'envelope', data: new JsonText(canonicalJson(input)) },
        wrap: (text) => wrap(world, { ...request, text }),
      }
    },
  }),
  operation.write('unwrap', 'wrapping/unwrap', {
    secrets: { body: ['token'], reply: ['data/**'] },
    summary: 'Return the reply that a wrapping token wraps, and revoke the token.',
    resolveToken,
    body: tokenField,
    reply: { 200: described(map(any), 'The wrapped body') },
    run(call: TokenCall) {
      const { world, fields } = call
      const { token = '' } = fields
      if (token !== '' && opaqueTokenId(world, token) === call.token?.id) {
        throw refuse('wrapping-token-in-use')
      }
      const text =
        token === '' ? unwrapTokenInUse(world, requireCaller(call)) : unwrap(world, token)
      return { kind: 'bare', status: 200, body: new JsonText(text) }
    },
  }),
  operation.read('lookUpOwnWrapping', 'wrapping/lookup', {
    summary: 'Read the properties of the wrapping token that is the client token.',
    access: 'anyone',
    resolveToken(call) {
      lookup(call)
      return call.request.clientToken
    },
    failures: [403],
    reply: lookupReply,
    run: lookup,
  }),
  operation.write('lookUpWrapping', 'wrapping/lookup', {
    secrets: { body: ['token'] },
    summary: 'Read the properties of a wrapping token without using it.',
    access: 'anyone',
    body: tokenField,
    failures: [403],
    reply: lookupReply,
    run: lookup,
  }),
  operation.write('rewrap', 'wrapping/rewrap', {
    secrets: { body: ['token'] },
    summary: 'Replace a wrapping token with a new one that wraps the same reply.',
    resolveToken,
    body: tokenField,
    reply: { 200: wrappedEnvelope },
    run({ world, fields: { token = '' }, path: requestPath, wrapping }) {
      const { ttl = 0, address } = wrapping ?? {}
      return { kind: 'envelope', wrap: rewrap(world, token, { ttl, address, requestPath }) }
    },
  }),
]
