import { invalid, raised, refusal } from '../../../state/secrets/refusals.ts'
import { renewToken } from '../../../state/secrets/tokens/renewal.ts'
import { type RequestedToken, requestToken } from '../../../state/secrets/tokens/request.ts'
import {
  accessorsIn,
  findByAccessor,
  findToken,
  isKnownIn,
} from '../../../state/secrets/tokens/rows.ts'
import { revokeOrphaning, revokeToken, type Token } from '../../../state/secrets/tokens/tokens.ts'
import { callerOf } from '../caller.ts'
import { signedDuration, texts } from '../field-forms.ts'
import type { FieldValues } from '../fields.ts'
import type { Call, Engine } from '../operation.ts'
import { data, done, empty, keys, type Outcome } from '../outcome.ts'
import { pathsOf } from '../paths.ts'
import { authEnvelope, keysEnvelope, warningEnvelope } from '../schemas.ts'
import { authOutcome, lookupData, lookupEnvelope } from './token-replies.ts'
import { tokenRolePaths } from './token-roles.ts'

const path = pathsOf('1-secrets-decisions.md section 3, Tokens')

const token = { type: 'string', description: 'The token' } as const
const accessor = { type: 'string', description: 'Accessor of the token' } as const

const increment = signedDuration('For how long from now; without it as long as granted last')

const createFields = {
  id: { type: 'string', description: 'A chosen id; needs sudo' },
  policies: texts("Policies; without any the caller's"),
  meta: { type: 'object', format: 'key-value', description: 'Remarks kept with the token' },
  no_parent: { type: 'boolean', description: 'Make an orphan; needs sudo' },
  no_default_policy: { type: 'boolean', description: 'Leave out the policy `default`' },
  renewable: { type: 'boolean', description: 'Whether the token is renewable; default true' },
  ttl: signedDuration('How long the token lives'),
  lease: signedDuration('Old name of ttl'),
  explicit_max_ttl: signedDuration('How long the token lives at most, renewals included'),
  display_name: { type: 'string', description: 'Name shown in logs' },
  num_uses: { type: 'integer', description: 'How often it can be used; 0 for any number' },
  period: signedDuration('What each renewal grants, without end; needs sudo'),
  type: { type: 'string', description: '`service` or `batch`' },
  entity_alias: { type: 'string', description: 'Entity alias; only one that the role allows' },
} as const

type CreateCall = Call<object, FieldValues<typeof createFields>>

function create(call: CreateCall, orphan: boolean, role?: string): Outcome {
  const { world, namespace, fields } = call
  const context = { parent: callerOf(call), namespace, path: call.path, orphan, role }
  const made: RequestedToken = requestToken(world, context, fields)
  return authOutcome(made)
}

const createReply = { 200: authEnvelope }

/** A token by its id. The caller's own is known everywhere, others at or above their namespace. */
function byId({ world, namespace, token: caller }: Call, id: string): Token | undefined {
  const found = findToken(world, id)
  if (found === undefined || found.id === caller?.id) return found
  return isKnownIn(namespace, found) ? found : undefined
}

function lookup(call: Call, id: string): Outcome {
  const found = byId(call, id)
  if (found === undefined) throw refusal('denied', 'bad token')
  return data(lookupData(call.world, found))
}

function renew(call: Call, id: string, seconds = 0): Outcome {
  if (id !== '' && byId(call, id) === undefined) throw invalid('token not found')
  return authOutcome(renewToken(call.world, id, seconds))
}

/** The token behind an accessor of a body; undefined for an unknown one. */
function byAccessor({ world, namespace }: Call, { accessor: sent = '' }): Token | undefined {
  if (sent === '') throw raised('invalid', 'missing accessor')
  const found = findByAccessor(world, sent)
  return found !== undefined && isKnownIn(namespace, found) ? found : undefined
}

/** Revokes a token that exists; batch tokens just end. */
function revoke({ world }: Call, found: Token | undefined): Outcome {
  if (found?.type === 'batch') throw invalid('batch tokens cannot be revoked')
  if (found !== undefined) revokeToken(world, found.id)
  return empty
}

function tokenNamed(call: Call, { token: id = '' }): Token | undefined {
  if (id === '') throw invalid('missing token ID')
  return byId(call, id)
}

/** The method `token`, always mounted: creates, shows, renews and revokes tokens. */
export const tokenEngine: Engine = {
  type: 'token',
  paths: [
    path('create', {
      write: {
        summary: 'Creates a child token of the calling token.',
        fields: createFields,
        reply: createReply,
        run: (call) => create(call, false),
      },
    }),
    path('create-orphan', {
      write: {
        summary: 'Creates a token without a parent.',
        fields: createFields,
        reply: createReply,
        run: (call) => create(call, true),
      },
    }),
    path('create/:role_name', {
      write: {
        summary: 'Creates a token by the conditions of a role.',
        fields: createFields,
        reply: createReply,
        run: (call) => create(call, false, call.params.role_name),
      },
    }),
    path('lookup', {
      read: {
        summary: 'Shows a token, by default the calling one.',
        fields: { token },
        reply: { 200: lookupEnvelope },
        run: (call) => lookup(call, call.fields.token || callerOf(call).id),
      },
      write: {
        summary: 'Shows a token, by default the calling one.',
        fields: { token },
        reply: { 200: lookupEnvelope },
        run: (call) => lookup(call, call.fields.token || callerOf(call).id),
      },
    }),
    path('lookup-self', {
      read: {
        summary: 'Shows the calling token.',
        reply: { 200: lookupEnvelope },
        run: (call) => lookup(call, callerOf(call).id),
      },
      write: {
        summary: 'Shows the calling token.',
        reply: { 200: lookupEnvelope },
        run: (call) => lookup(call, callerOf(call).id),
      },
    }),
    path('lookup-accessor', {
      write: {
        summary: 'Shows the token behind an accessor, without its id.',
        fields: { accessor },
        reply: { 200: lookupEnvelope },
        run: (call) => {
          const found = byAccessor(call, call.fields)
          if (found === undefined) throw raised('invalid', 'invalid accessor')
          return data({ ...lookupData(call.world, found), id: '' })
        },
      },
    }),
    path('renew', {
      write: {
        summary: 'Renews a token.',
        fields: { token, increment },
        reply: { 200: authEnvelope },
        run: (call) => renew(call, call.fields.token ?? '', call.fields.increment),
      },
    }),
    path('renew-self', {
      write: {
        summary: 'Renews the calling token.',
        fields: { token, increment },
        reply: { 200: authEnvelope },
        run: (call) => renew(call, callerOf(call).id, call.fields.increment),
      },
    }),
    path('renew-accessor', {
      write: {
        summary: 'Renews the token behind an accessor.',
        fields: { accessor, increment },
        reply: { 200: authEnvelope },
        run: (call) => {
          const found = byAccessor(call, call.fields)
          if (found === undefined) throw raised('invalid', 'invalid accessor')
          const { token: renewed, warnings } = renewToken(
            call.world,
            found.id,
            call.fields.increment ?? 0,
          )
          return authOutcome({ token: { ...renewed, id: '' }, warnings })
        },
      },
    }),
    path('revoke', {
      write: {
        summary: 'Revokes a token and its children.',
        fields: { token },
        reply: { 204: null },
        run: (call) => revoke(call, tokenNamed(call, call.fields)),
      },
    }),
    path('revoke-self', {
      write: {
        summary: 'Revokes the calling token and its children.',
        reply: { 204: null },
        run: (call) => revoke(call, findToken(call.world, callerOf(call).id)),
      },
    }),
    path('revoke-accessor', {
      write: {
        summary: 'Revokes the token behind an accessor and its children.',
        fields: { accessor },
        reply: { 200: warningEnvelope, 204: null },
        run: (call) => {
          const found = byAccessor(call, call.fields)
          return found === undefined
            ? done(['No token found with this accessor'])
            : revoke(call, found)
        },
      },
    }),
    path('revoke-orphan', {
      write: {
        summary: 'Revokes a token and makes its children orphans.',
        sudo: true,
        fields: { token },
        reply: { 204: null },
        run: (call) => {
          const found = tokenNamed(call, call.fields)
          if (found?.type === 'batch') throw invalid('batch tokens cannot be revoked')
          if (found !== undefined) revokeOrphaning(call.world, found.id)
          return empty
        },
      },
    }),
    path('accessors', {
      list: {
        summary: 'Lists the accessors of all tokens.',
        sudo: true,
        reply: { 200: keysEnvelope },
        run: ({ world, namespace }) => keys(accessorsIn(world, namespace)),
      },
    }),
    ...tokenRolePaths,
  ],
}
