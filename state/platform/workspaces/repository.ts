import { compileGoRegex, RegexError } from '../../go/regex.ts'
import { bool, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { oauthClientOfToken } from '../modules/oauth-clients.ts'
import { isBlank, type TextInput, updatedText } from '../names.ts'
import type { Violations } from '../violations.ts'

/** Connected repository as a workspace stores it. */
export const repositoryShape = struct({
  identifier: text,
  display_identifier: text,
  oauth_token_id: nullable(text),
  github_app_installation_id: nullable(text),
  /** Empty for the default branch. */
  branch: text,
  ingress_submodules: bool,
  tags_regex: nullable(text),
  service_provider: text,
  /** URL of the provider, which is never contacted. */
  http_url: text,
  /** UUID of the webhook that the provider would call. */
  webhook: text,
})

/** The repository that a workspace is connected to (behaviour/platform#workspace-repositories). */
export interface Repository extends StoredOf<typeof repositoryShape> {}

/** Repository in a request. Null is treated as a blank string. */
export type RepositoryInput = TextInput<
  | 'identifier'
  | 'display_identifier'
  | 'oauth_token_id'
  | 'github_app_installation_id'
  | 'branch'
  | 'tags_regex'
> & { readonly ingress_submodules?: boolean }

/**
 * Repository in a request. Undefined keeps the current repository, and null disconnects the
 * workspace.
 */
type ConnectionInput = RepositoryInput | null | undefined

/**
 * Adds violations for a blank identifier, an identifier without an owner, and an invalid regular
 * expression.
 */
export function checkRepository(
  input: ConnectionInput,
  violations: Violations,
  before: Repository | null,
): void {
  if (input == null) return
  const identifier = updatedText(input.identifier, before?.identifier)
  if (isBlank(identifier)) violations.add('vcs-repo/identifier', 'repository-blank')
  else if (!identifier.includes('/')) violations.add('vcs-repo/identifier', 'repository-invalid')
  if (!isRegex(input.tags_regex ?? '')) violations.add('vcs-repo/tags-regex', 'repository-invalid')
}

function isRegex(text: string): boolean {
  try {
    compileGoRegex(text)
    return true
  } catch (error) {
    if (error instanceof RegexError) return false
    throw error
  }
}

/**
 * Returns the repository of a workspace after a request; null if the workspace then has no
 * repository. Throws 422 for a request with both an OAuth token and an app installation, and for an
 * OAuth token that is unknown or of another organization. Throws 422 for a first connection without
 * a token and without an installation.
 */
export function connectedRepository(
  world: World,
  organization: string,
  input: ConnectionInput,
  before: Repository | null,
): Repository | null {
  if (input === undefined) return before
  if (input === null) return null
  const token = input.oauth_token_id || null
  const installation = input.github_app_installation_id || null
  if (token !== null && installation !== null) throw refuse('repository-tokens-both')
  const identifier = updatedText(input.identifier, before?.identifier)
  const isSame = identifier === before?.identifier
  return {
    identifier,
    display_identifier:
      input.display_identifier || (isSame ? before.display_identifier : identifier),
    branch: updatedText(input.branch, before?.branch),
    ingress_submodules: input.ingress_submodules ?? before?.ingress_submodules ?? false,
    tags_regex:
      input.tags_regex === undefined ? (before?.tags_regex ?? null) : input.tags_regex || null,
    webhook: before?.webhook ?? world.ids.uuid(),
    ...(token === null && installation === null && before !== null
      ? repositoryAccessOf(before)
      : newRepositoryAccess(world, organization, token, installation)),
  }
}

type RepositoryAccess = Pick<
  Repository,
  'oauth_token_id' | 'github_app_installation_id' | 'service_provider' | 'http_url'
>

function repositoryAccessOf(before: Repository): RepositoryAccess {
  const { oauth_token_id, github_app_installation_id, service_provider, http_url } = before
  return { oauth_token_id, github_app_installation_id, service_provider, http_url }
}

function newRepositoryAccess(
  world: World,
  organization: string,
  oauth_token_id: string | null,
  github_app_installation_id: string | null,
): RepositoryAccess {
  const ids = { oauth_token_id, github_app_installation_id }
  if (github_app_installation_id !== null) {
    return { ...ids, service_provider: 'github_app', http_url: 'https://github.com' }
  }
  const client = oauthClientOfToken(world, oauth_token_id ?? '')
  if (client?.organization !== organization) throw refuse('oauth-token-unknown')
  return { ...ids, service_provider: client.service_provider, http_url: client.http_url }
}
