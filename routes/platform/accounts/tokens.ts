import { compareBytewise } from '../../../state/json/json.ts'
import { text, union } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { sortableNumber } from '../../../state/kernel/sortable-number.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  type Caller,
  checkTokenKind,
  isOrganizationToken,
  isOwner,
} from '../../../state/platform/accounts/callers.ts'
import {
  createTeamToken,
  createUserToken,
  currentToken,
  deleteToken,
  replaceToken,
  type TokenOwner,
} from '../../../state/platform/accounts/token-changes.ts'
import { type ApiToken, tokensOf, tokenWithId } from '../../../state/platform/accounts/tokens.ts'
import type { User } from '../../../state/platform/accounts/users.ts'
import { managesAgentPools, readsAgentPools } from '../../../state/platform/agents/changes.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { managesTokens, teamsFor } from '../../../state/platform/organizations/team-changes.ts'
import { type Team, teams } from '../../../state/platform/organizations/teams.ts'
import { ok } from '../../http/declare/operation.ts'
import { findPoolWith } from '../agents/pool-scope.ts'
import { inState, openQuery } from '../json-api/attributes.ts'
import { pageOf, pageOrAll } from '../json-api/pagination.ts'
import { listOf, unpagedListOf } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { findOrganization } from '../organizations/scopes.ts'
import { findTeam } from '../organizations/team-scope.ts'
import { newTokenResource, tokenForm, tokenResource, tokenShape } from './token-resource.ts'

const spec = 'behaviour/platform#surroundings'
const multipleTokensSpec = 'behaviour/platform#beyond'

/** Returns the user in the path if the caller is this user. Throws 404 otherwise. */
function findSelf({ caller, params }: Scope): User {
  const isSelf = caller.token.kind === 'user' && caller.user.id === params['user_id']
  if (!isSelf) throw refuse('not-found')
  return caller.user
}

/**
 * Returns the token in the path if it belongs to the calling person, to a team whose tokens the
 * caller manages, or to an agent pool that the caller manages. Throws 404 otherwise, and 401 if the
 * organization of the team or pool does not accept the caller's kind of token.
 */
function findManageableToken({ world, caller, params }: Scope): ApiToken {
  const token = requireFound(tokenWithId(world, params['token_id'] ?? ''))
  if (token.kind === 'agent-pool') {
    findPoolWith(managesAgentPools)({ world, caller, params: { agent_pool_id: token.owner } })
    return token
  }
  if (token.kind === 'team') {
    checkTeamTokens(world, caller, world.table(teams).get(token.owner))
    return token
  }
  const isOfUser = token.kind === 'user' && caller.token.kind === 'user'
  if (!isOfUser || token.owner !== caller.user.id) throw refuse('not-found')
  return token
}

/**
 * Throws 404 unless the caller manages the tokens of a team, and 401 if the organization does not
 * accept the caller's kind of token.
 */
function checkTeamTokens(world: World, caller: Caller, team: Team | undefined): void {
  if (team === undefined || !managesTokens(world, caller, team)) throw refuse('not-found')
  checkTokenKind(world, caller, team.organization)
}

/**
 * Returns the organization in the path as the owner of a token. Accepts callers with owner rights
 * and the organization's own token. Throws 404 for other callers, and 401 if the organization does
 * not accept the caller's kind of token.
 */
function findOrganizationOwner(scope: Scope): TokenOwner {
  const { name } = findOrganization(scope)
  const { world, caller } = scope
  if (!isOwner(world, caller, name) && !isOrganizationToken(caller, name)) throw refuse('not-found')
  return { kind: 'organization', owner: name }
}

/**
 * Returns the team in the path as the owner of a token. Accepts callers who manage the team, and
 * members if the team allows its members to manage tokens. Throws 404 for other callers, and 401 if
 * the organization does not accept the caller's kind of token.
 */
function findTeamOwner(scope: Scope): TokenOwner {
  const team = findTeam(scope)
  checkTeamTokens(scope.world, scope.caller, team)
  return { kind: 'team', owner: team.id }
}

const newTokenRendering = { shape: tokenShape, render: newTokenResource }
const tokenRendering = { shape: tokenShape, render: tokenResource }

/**
 * Returns the token in the path. Unlike `findManageableToken`, accepts callers who may only read
 * the agent pool of the token. Throws the refusals of `findManageableToken` for other callers.
 */
function findReadableToken(scope: Scope): ApiToken {
  const { world, caller, params } = scope
  const token = tokenWithId(world, params['token_id'] ?? '')
  if (token?.kind !== 'agent-pool') return findManageableToken(scope)
  findPoolWith(readsAgentPools)({ world, caller, params: { agent_pool_id: token.owner } })
  return token
}

const onSelf = operationsOn('caller', findSelf, spec)
const onReadableToken = operationsOn('caller', findReadableToken, spec)
const onManageableToken = operationsOn('caller', findManageableToken, spec)

/** Operations on the tokens of users. A user may have several tokens. */
const userTokenOperations = [
  onSelf.document('POST', '/users/:user_id/authentication-tokens', newTokenRendering, {
    id: 'createUserToken',
    summary: 'Create another token of the caller.',
    body: tokenForm,
    run: ({ context, body }) =>
      createUserToken(context.world, context.subject, inState(body().attributes)),
  }),
  onSelf('GET', '/users/:user_id/authentication-tokens', {
    id: 'listUserTokens',
    summary:
      "List the caller's own tokens, oldest first; paginated only if the query asks for a page.",
    reply: { 200: union(unpagedListOf(tokenShape), listOf(tokenShape)) },
    run: ({ context: { world, subject, address } }) =>
      ok(pageOrAll(tokensOf(world, { kind: 'user', owner: subject.id }), tokenResource, address)),
  }),
  onReadableToken.document('GET', '/authentication-tokens/:token_id', tokenRendering, {
    id: 'readUserToken',
    summary: "Read one of the caller's own tokens or of a team's, without its text.",
    run: ({ context: { subject } }) => subject,
  }),
  onManageableToken('DELETE', '/authentication-tokens/:token_id', {
    id: 'deleteUserToken',
    summary: "Delete one of the caller's own tokens or of a team's.",
    run: ({ context: { world, subject } }) => deleteToken(world, subject),
  }),
]

/** Returns the operations on the single token of an organization or of a team. */
function singleTokenOperations(
  ownerKind: 'Organization' | 'Team',
  path: '/organizations/:organization_name' | '/teams/:team_id',
  find: (scope: Scope) => TokenOwner,
) {
  const operation = operationsOn('caller', find, spec)
  const ownerNoun = ownerKind === 'Team' ? 'a team' : 'an organization'
  const tokenPath = `${path}/authentication-token` as const
  return [
    operation.document('POST', tokenPath, newTokenRendering, {
      id: `create${ownerKind}Token`,
      summary: `Create the token of ${ownerNoun}; it replaces the existing one.`,
      body: tokenForm,
      run({ context, body }) {
        const { world, subject, caller } = context
        return replaceToken(world, subject, inState(body().attributes), caller.user)
      },
    }),
    operation.document('GET', tokenPath, tokenRendering, {
      id: `read${ownerKind}Token`,
      summary: `Read the token of ${ownerNoun}, without its text.`,
      run: ({ context: { world, subject } }) => requireCurrentToken(world, subject),
    }),
    operation('DELETE', tokenPath, {
      id: `delete${ownerKind}Token`,
      summary: `Delete the token of ${ownerNoun}.`,
      run: ({ context: { world, subject } }) =>
        deleteToken(world, requireCurrentToken(world, subject)),
    }),
  ]
}

const onTeamTokens = operationsOn('caller', findTeamOwner, multipleTokensSpec)

/**
 * Operations that create and list the tokens of a team, which can have several tokens
 * (behaviour/platform#beyond).
 */
const teamTokenOperations = [
  onTeamTokens.document('POST', '/teams/:team_id/authentication-tokens', newTokenRendering, {
    id: 'createFurtherTeamToken',
    summary: 'Create one of several tokens of a team; its description identifies it.',
    body: tokenForm,
    run({ context, body }) {
      const { world, subject, caller } = context
      return createTeamToken(world, subject, inState(body().attributes), caller.user)
    },
  }),
  onTeamTokens.page('/teams/:team_id/authentication-tokens', tokenRendering, {
    id: 'listTeamTokens',
    summary: 'List the tokens of a team, oldest first.',
    run: ({ context: { world, subject } }) => tokensOf(world, subject),
  }),
]

/** Search and sort parameters for the tokens of all teams, named as in the reference. */
const teamTokensQuery = openQuery({
  q: described(text, "Part of a team's name"),
  sort: described(
    text,
    '`team-name`, `created-by`, `created-at`, `expired-at` or `last-used-at`; a leading `-` reverses the order',
  ),
})

/** Sort keys for the tokens of teams. Missing values come first. */
const sortKeys: Readonly<Record<string, (token: ApiToken, team: Team) => string>> = {
  'team-name': (_token, { name }) => name,
  'created-by': ({ created_by, user }) => created_by ?? user,
  'created-at': ({ created_at }) => instantKey(created_at),
  'expired-at': ({ expired_at }) => instantKey(expired_at),
  'last-used-at': ({ last_used_at }) => instantKey(last_used_at),
}

const instantKey = (at: number | null): string => (at === null ? '' : sortableNumber(at, 16))

/**
 * Operation that lists the tokens of those teams of an organization whose tokens the caller
 * manages.
 */
const allTeamTokensOperation = operationsOn('caller', findOrganization, multipleTokensSpec)(
  'GET',
  '/organizations/:organization_name/team-tokens',
  {
    id: 'listTeamTokensOfOrganization',
    summary: 'List the tokens of all teams of an organization that the caller manages.',
    query: teamTokensQuery,
    reply: { 200: listOf(tokenShape) },
    run: ({ context, query: { q = '', sort = 'team-name' } }) => {
      const { world, caller, subject, address } = context
      checkTokenKind(world, caller, subject.name)
      const matches = teamsFor(world, caller, subject.name)
        .filter((team) => managesTokens(world, caller, team))
        .filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))
        .flatMap((team) =>
          tokensOf(world, { kind: 'team', owner: team.id }).map((token) => ({ token, team })),
        )
      const sortKey = sortKeys[sort.replace(/^-/, '')]
      if (sortKey !== undefined) {
        const key = ({ token, team }: (typeof matches)[number]) => sortKey(token, team)
        matches.sort((left, right) => compareBytewise(key(left), key(right)))
      }
      if (sort.startsWith('-')) matches.reverse()
      return ok(pageOf(matches, ({ token }) => tokenResource(token), address))
    },
  },
)

function requireCurrentToken(world: World, owner: TokenOwner): ApiToken {
  return requireFound(currentToken(world, owner))
}

export const tokenOperations = [
  ...userTokenOperations,
  ...singleTokenOperations(
    'Organization',
    '/organizations/:organization_name',
    findOrganizationOwner,
  ),
  ...singleTokenOperations('Team', '/teams/:team_id', findTeamOwner),
  ...teamTokenOperations,
  allTeamTokensOperation,
]
