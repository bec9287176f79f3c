import { bool, constant, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import type { Workspace } from '../../../state/platform/workspaces/workspaces.ts'

/** Shape of the repository of a workspace (behaviour/platform#workspace-repositories). */
export const repositoryShape = struct({
  identifier: text,
  'display-identifier': text,
  'oauth-token-id': nullable(text),
  'github-app-installation-id': nullable(text),
  branch: text,
  'ingress-submodules': bool,
  'tags-regex': nullable(text),
  tags: constant(false),
  'repository-http-url': text,
  'service-provider': text,
  'webhook-url': text,
  'source-directory': constant(null),
  'tag-prefix': constant(null),
})

/** Renders the repository of a workspace. Returns null for a workspace without a repository. */
export function repositoryOf({ repository }: Pick<Workspace, 'repository'>, origin: string) {
  if (repository == null) return null
  return {
    identifier: repository.identifier,
    'display-identifier': repository.display_identifier,
    'oauth-token-id': repository.oauth_token_id,
    'github-app-installation-id': repository.github_app_installation_id,
    branch: repository.branch,
    'ingress-submodules': repository.ingress_submodules,
    'tags-regex': repository.tags_regex,
    tags: false,
    'repository-http-url': `${trimEndOf(repository.http_url, '/')}/${repository.identifier}`,
    'service-provider': repository.service_provider,
    'webhook-url': `${origin}/webhooks/vcs/${repository.webhook}`,
    'source-directory': null,
    'tag-prefix': null,
  }
}
