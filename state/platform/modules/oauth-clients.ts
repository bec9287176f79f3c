import { bool, instant, list, nullable, text } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { agentPoolWithId } from '../agents/agent-pools.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { isBlank, type TextInput } from '../names.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { Violations } from '../violations.ts'

export const oauthClientAttributes = {
  created_at: instant,
  service_provider: text,
  name: nullable(text),
  http_url: text,
  api_url: text,
  key: nullable(text),
  rsa_public_key: nullable(text),
  organization_scoped: bool,
}

const oauthClientShape = struct({
  ...oauthClientAttributes,
  /** Id of the form `oc-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /** Id of the client's only token (`ot-…`); null if the token was deleted. */
  oauth_token_id: nullable(text),
  /**
   * Whether the client was created from a token string, so that the provider's user id is unknown.
   */
  is_user_unknown: optional(bool),
  /**
   * Whether the client's token has an SSH key; missing until a request sets or removes the key or
   * deletes the token.
   */
  has_ssh_key: optional(bool),
  /**
   * Id of the agent pool through which the product reaches the provider; null or missing without a
   * pool.
   */
  agent_pool: optional(nullable(text)),
  /** Ids of the projects that may use the client. */
  projects: optional(list(text)),
  /** UUID in the callback URL for the provider. */
  callback: text,
})

/** A connection to a version-control provider. The provider is never contacted. */
export interface OauthClient extends StoredOf<typeof oauthClientShape> {}

/**
 * OAuth clients by `<organization>/<number>`, numbered in creation order. The keys of the index
 * `byToken` are token ids.
 */
export const oauthClients = platformTable('oauth-clients', oauthClientShape, {
  secrets: { members: ['key', 'callback'] },
  indexes: {
    byId: ({ id }) => id,
    byToken: ({ oauth_token_id }) => oauth_token_id ?? undefined,
  },
})

const rows = ownedRows(oauthClients, 'organization')

/**
 * Functions of `ownedRows` for the OAuth clients of an organization. Lists are in creation order.
 * `moveOauthClients` moves the clients of an organization that is renamed.
 */
export const {
  of: oauthClientsOf,
  withId: oauthClientWithId,
  dropAll: dropOauthClients,
  move: moveOauthClients,
} = rows

/** Supported version-control providers and their display names. */
export const providerNames: Readonly<Record<string, string>> = {
  github: 'GitHub',
  github_enterprise: 'GitHub Enterprise',
  github_app: 'GitHub App',
  gitlab_hosted: 'GitLab.com',
  gitlab_community_edition: 'GitLab Community Edition',
  gitlab_enterprise_edition: 'GitLab Enterprise Edition',
  ado_server: 'Azure DevOps Server',
  ado_services: 'Azure DevOps Services',
  bitbucket_hosted: 'Bitbucket Cloud',
  bitbucket_server: 'Bitbucket Server',
  bitbucket_data_center: 'Bitbucket Data Center',
}

/**
 * Members of a request for an OAuth client. Null is handled like a blank string. The OAuth secret
 * and the token string are not stored.
 */
interface OauthClientInput
  extends TextInput<
    | 'service_provider'
    | 'name'
    | 'http_url'
    | 'api_url'
    | 'key'
    | 'rsa_public_key'
    | 'oauth_token_string'
  > {
  readonly organization_scoped?: boolean
  /** Agent pool id. */
  readonly agent_pool?: string | null
}

/**
 * Adds a client with a token. Throws 422 for an unknown provider or agent pool, and for a blank
 * URL.
 */
export function createOauthClient(
  world: World,
  organization: string,
  input: OauthClientInput,
): OauthClient {
  const { service_provider, http_url, api_url } = input
  const violations = new Violations()
  if (isBlank(service_provider)) violations.add('service-provider', 'blank')
  if (!Object.hasOwn(providerNames, service_provider ?? '')) {
    violations.add('service-provider', 'not-listed')
  }
  if (isBlank(http_url)) violations.add('http-url', 'blank')
  if (isBlank(api_url)) violations.add('api-url', 'blank')
  violations.check()
  checkPool(world, organization, input.agent_pool)
  return world.write(() =>
    rows.put(world, {
      id: newId(world, 'oc'),
      organization,
      oauth_token_id: newId(world, 'ot'),
      callback: world.ids.uuid(),
      service_provider: service_provider ?? '',
      name: input.name ?? null,
      http_url: http_url ?? '',
      api_url: api_url ?? '',
      key: input.key ?? null,
      rsa_public_key: input.rsa_public_key ?? null,
      organization_scoped: input.organization_scoped ?? true,
      agent_pool: input.agent_pool ?? null,
      created_at: world.clock.now(),
      is_user_unknown: !isBlank(input.oauth_token_string),
    }),
  )
}

/** Returns the client that a token id belongs to; undefined for an unknown or deleted token. */
export function oauthClientOfToken(world: World, token: string): OauthClient | undefined {
  return world.table(oauthClients).index('byToken').get(token)
}

/** Members of a request that changes a client. Missing members stay unchanged. */
interface OauthClientChange
  extends Pick<
    OauthClientInput,
    'name' | 'key' | 'rsa_public_key' | 'organization_scoped' | 'agent_pool'
  > {}

/** Throws 422 unless `pool` is null, undefined or the id of an agent pool of the organization. */
function checkPool(world: World, organization: string, pool: string | null | undefined): void {
  if (pool == null || agentPoolWithId(world, pool)?.organization === organization) return
  throw refuse('connection-pool-unknown')
}

/**
 * Changes the given members of a client. Throws 422 for an unknown agent pool, and if the change
 * removes the key of a Bitbucket Data Center client, which does not work without a key.
 */
export function changeOauthClient(
  world: World,
  client: OauthClient,
  change: OauthClientChange,
): OauthClient {
  checkPool(world, client.organization, change.agent_pool)
  const isKeyRemoved = change.key !== undefined && isBlank(change.key)
  if (isKeyRemoved && client.service_provider === 'bitbucket_data_center') {
    throw refuse('consumer-key-missing')
  }
  return putOauthClient(world, { ...client, ...change })
}

/** Adds projects that may use the client, or removes them if `isShared` is false. */
export function shareOauthClient(
  world: World,
  client: OauthClient,
  ids: readonly string[],
  isShared: boolean,
): OauthClient {
  const others = (client.projects ?? []).filter((id) => !ids.includes(id))
  return putOauthClient(world, { ...client, projects: isShared ? [...others, ...ids] : others })
}

/** Records whether the client's token has an SSH key. The key is not stored. */
export function setSshKey(world: World, client: OauthClient, has_ssh_key: boolean): OauthClient {
  return putOauthClient(world, { ...client, has_ssh_key })
}

/** Removes the token of a client. A client cannot get another token. */
export function deleteOauthToken(world: World, client: OauthClient): OauthClient {
  return putOauthClient(world, { ...client, oauth_token_id: null, has_ssh_key: false })
}

function putOauthClient(world: World, client: OauthClient): OauthClient {
  return world.write(() => rows.put(world, client))
}

/** Deletes a client with its token. Modules that were created through the client stay. */
export function deleteOauthClient(world: World, client: OauthClient): void {
  world.write(() => rows.drop(world, client))
}
