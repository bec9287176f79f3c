import { Refusal } from '../../../state/kernel/refusal.ts'
import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { hasSudo } from '../../../state/secrets/policies/acl.ts'
import { renewToken } from '../../../state/secrets/tokens/renewal.ts'
import {
  accessorsIn,
  findByAccessor,
  findToken,
  isTokenVisibleIn,
} from '../../../state/secrets/tokens/rows.ts'
import { revokeOrphaning, revokeToken, type Token } from '../../../state/secrets/tokens/tokens.ts'
import { requireCaller } from '../dispatch/caller.ts'
import {
  dataOutcome,
  emptyOutcome,
  emptyWithWarnings,
  keysOutcome,
  type SecretsOutcome,
} from '../envelope/outcome.ts'
import { authEnvelope, keysEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { duration } from '../fields/field-kinds.ts'
import { message, refuse } from '../messages.ts'
import { type Call, type Engine, operationsOf } from '../operation.ts'
import { tokenCreationOperations } from './token-creation.ts'
import { authOutcome, lookupData, lookupEnvelope } from './token-replies.ts'
import { tokenRoleOperations } from './token-roles.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#tokens' })

const token = described(text, 'The token')
const accessor = described(text, 'Accessor of the token')

const increment = duration('New lifetime from now; the last granted lifetime if left out')

/** Members that the declarations of the GET and the POST of `lookup` share. */
const lookupCommon = {
  summary: 'Show a token, by default the calling one.',
  secrets: { body: ['token'], reply: ['data/id'] },
  reply: { 200: lookupEnvelope },
} as const

/** Members that the declarations of the GET and the POST of `lookup-self` share. */
const lookupSelfCommon = {
  summary: 'Show the calling token.',
  secrets: { reply: ['data/id'] },
  reply: { 200: lookupEnvelope },
} as const

/**
 * Returns a token by its id; undefined if the token does not exist or is not visible in the
 * namespace. The caller's own token is visible in every namespace. Other tokens are visible in
 * their namespace and in the namespaces below it.
 */
function byId({ world, namespace, token: caller }: Call, id: string): Token | undefined {
  const found = findToken(world, id)
  if (found === undefined || found.id === caller?.id) return found
  return isTokenVisibleIn(namespace, found) ? found : undefined
}

function lookup(call: Call, id: string): SecretsOutcome {
  const found = byId(call, id)
  if (found === undefined) throw refuse('token-unknown')
  return dataOutcome(lookupData(call.world, found))
}

function renew(call: Call, id: string, seconds = 0): SecretsOutcome {
  if (id !== '' && byId(call, id) === undefined) throw refuse('token-not-found')
  return authOutcome(call.world, renewToken(call.world, id, seconds))
}

/**
 * Renews a token. The reply does not contain the id of the token. Every refusal is replaced with
 * `renewal-refused`, so the caller does not learn the reason.
 */
function renewByAccessor({ world }: Call, { id }: Token, seconds = 0): SecretsOutcome {
  try {
    const { token: renewed, warnings } = renewToken(world, id, seconds)
    return authOutcome(world, { token: { ...renewed, id: '' }, warnings })
  } catch (error) {
    throw error instanceof Refusal ? refuse('renewal-refused') : error
  }
}

/**
 * Returns the token with the accessor in a body; undefined if the accessor is unknown or its token
 * is not visible in the namespace. Throws `missing-accessor` if the body contains no accessor.
 */
function byAccessor({ world, namespace }: Call, { accessor: requestedAccessor = '' }) {
  if (requestedAccessor === '') throw refuse('missing-accessor')
  const found = findByAccessor(world, requestedAccessor)
  return found !== undefined && isTokenVisibleIn(namespace, found) ? found : undefined
}

/**
 * Revokes a token and its children if the token exists. Throws `batch-token-not-revocable` for a
 * batch token.
 */
function revoke({ world }: Call, found: Token | undefined): SecretsOutcome {
  if (found?.type === 'batch') throw refuse('batch-token-not-revocable')
  if (found !== undefined) revokeToken(world, found.id)
  return emptyOutcome
}

function findTokenById(call: Call, { token: id = '' }): Token | undefined {
  if (id === '') throw refuse('missing-token-id')
  return byId(call, id)
}

/**
 * The login method `token`, which is always mounted. The method creates, shows, lists, renews and
 * revokes tokens, and manages token roles.
 */
export const tokenEngine: Engine = {
  type: 'token',
  operations: [
    ...tokenCreationOperations,
    operation.read('readToken', 'lookup', {
      query: { token },
      ...lookupCommon,
      run: (call) => lookup(call, call.fields.token || requireCaller(call).id),
    }),
    operation.write('lookUpToken', 'lookup', {
      body: { token },
      ...lookupCommon,
      run: (call) => lookup(call, call.fields.token || requireCaller(call).id),
    }),
    operation.read('readOwnToken', 'lookup-self', {
      ...lookupSelfCommon,
      run: (call) => lookup(call, requireCaller(call).id),
    }),
    operation.write('lookUpOwnToken', 'lookup-self', {
      ...lookupSelfCommon,
      run: (call) => lookup(call, requireCaller(call).id),
    }),
    operation.write('lookUpTokenAccessor', 'lookup-accessor', {
      summary: 'Show the token behind an accessor, without its id.',
      body: { accessor },
      reply: { 200: lookupEnvelope },
      run: (call) => {
        const found = byAccessor(call, call.fields)
        if (found === undefined) throw refuse('invalid-accessor')
        return dataOutcome({ ...lookupData(call.world, found), id: '' })
      },
    }),
    operation.write('renewToken', 'renew', {
      secrets: { body: ['token'] },
      summary: 'Renew a token.',
      body: { token, increment },
      failures: [500],
      reply: { 200: authEnvelope },
      run: (call) => renew(call, call.fields.token ?? '', call.fields.increment),
    }),
    operation.write('renewOwnToken', 'renew-self', {
      summary: 'Renew the calling token.',
      secrets: { body: ['token'] },
      body: { token, increment },
      failures: [500],
      reply: { 200: authEnvelope },
      run: (call) => renew(call, requireCaller(call).id, call.fields.increment),
    }),
    operation.write('renewTokenAccessor', 'renew-accessor', {
      summary: 'Renew the token behind an accessor.',
      body: { accessor, increment },
      failures: [500],
      reply: { 200: authEnvelope },
      run: (call) => {
        const found = byAccessor(call, call.fields)
        if (found === undefined) throw refuse('invalid-accessor')
        return renewByAccessor(call, found, call.fields.increment)
      },
    }),
    operation.write('revokeToken', 'revoke', {
      secrets: { body: ['token'] },
      summary: 'Revoke a token and its children.',
      body: { token },
      run: (call) => revoke(call, findTokenById(call, call.fields)),
    }),
    operation.write('revokeOwnToken', 'revoke-self', {
      summary: 'Revoke the calling token and its children.',
      run: (call) => revoke(call, findToken(call.world, requireCaller(call).id)),
    }),
    operation.write('revokeTokenAccessor', 'revoke-accessor', {
      summary: 'Revoke the token behind an accessor and its children.',
      body: { accessor },
      reply: { 200: warningEnvelope, 204: null },
      run: (call) => {
        const found = byAccessor(call, call.fields)
        return found === undefined
          ? emptyWithWarnings([message('accessor-unknown')])
          : revoke(call, found)
      },
    }),
    operation.write('revokeTokenAlone', 'revoke-orphan', {
      secrets: { body: ['token'] },
      summary: 'Revoke a token and make its children orphans.',
      body: { token },
      apply(call) {
        if (call.fields.token === '' || call.fields.token === undefined) {
          throw refuse('missing-token-id')
        }
        const { world, namespace, path } = call
        // The operation checks sudo itself because the message of its refusal differs from the
        // usual one.
        if (!hasSudo(world, requireCaller(call), namespace.path + path)) {
          throw refuse('revoke-orphan-needs-sudo')
        }
        const found = findTokenById(call, call.fields)
        // A negative `num_uses` means that this request was the token's last use. Such a token
        // counts as revoked.
        if (found === undefined || found.num_uses < 0) throw refuse('token-to-revoke-unknown')
        if (found.type === 'batch') throw refuse('batch-token-not-revocable')
        revokeOrphaning(call.world, found.id)
      },
    }),
    operation.list('listTokenAccessors', 'accessors', {
      summary: 'List the accessors of all tokens.',
      access: 'sudo',
      reply: { 200: keysEnvelope },
      run: ({ world, namespace }) => keysOutcome(accessorsIn(world, namespace)),
    }),
    operation.write('tidyTokens', 'tidy', {
      summary: 'Tidy the token store; nothing needs to be done.',
      spec: 'behaviour/secrets#small-endpoints',
      reply: { 202: warningEnvelope },
      run: () => ({ kind: 'envelope', status: 202, warnings: [message('tidy-started')] }),
    }),
    ...tokenRoleOperations,
  ],
}
