import { any, bool, list, text } from '../../../state/kernel/shape/kinds.ts'
import {
  blankable,
  inState,
  optionalMembers,
  readMembers,
  strictFlag,
  strictText,
} from '../json-api/attributes.ts'
import { relatedItems, relatedProject } from '../json-api/body.ts'
import type { ParsedBody, PlatformContext } from '../operation.ts'
import { relatedBindings, tagReferencesIn } from './tag-input.ts'

export const workspaceInputAttributes = optionalMembers({
  name: blankable,
  description: blankable,
  'execution-mode': blankable,
  operations: bool,
  'auto-apply': bool,
  'auto-apply-run-trigger': bool,
  'allow-destroy-plan': bool,
  'assessments-enabled': bool,
  'file-triggers-enabled': bool,
  'global-remote-state': bool,
  'queue-all-runs': bool,
  'speculative-enabled': bool,
  'structured-run-output-enabled': bool,
  'infra-version': blankable,
  'trigger-prefixes': list(text),
  'trigger-patterns': list(text),
  'working-directory': blankable,
  'source-name': blankable,
  'source-url': blankable,
  'tag-names': list(text),
  'setting-overwrites': any,
  'agent-pool-id': blankable,
  'vcs-repo': any,
  'auto-destroy-at': strictText,
  'auto-destroy-activity-duration': strictText,
  'inherits-project-auto-destroy': strictFlag,
  'project-remote-state': strictFlag,
  'migration-environment': strictText,
})

/** Members of a repository. The repository itself is never contacted. */
const repositoryAttributes = optionalMembers({
  identifier: strictText,
  'display-identifier': strictText,
  'oauth-token-id': strictText,
  'github-app-installation-id': strictText,
  branch: strictText,
  'ingress-submodules': strictFlag,
  'tags-regex': strictText,
})

const overwriteAttributes = optionalMembers({ 'execution-mode': bool, 'agent-pool': bool })

export function workspaceInput(
  { attributes, relationships }: ParsedBody<typeof workspaceInputAttributes>,
  { dialect }: PlatformContext<unknown>,
) {
  const { 'setting-overwrites': overwritesInput, 'vcs-repo': repository, ...rest } = attributes
  const parsedRepository = readMembers('vcs-repo', repositoryAttributes, repository, dialect)
  const parsedOverwrites = readMembers(
    'setting-overwrites',
    overwriteAttributes,
    overwritesInput,
    dialect,
  )
  const project = relatedProject(relationships)
  // The reference client sends the tags of a new workspace as a relationship.
  const tags = tagReferencesIn(relatedItems(relationships, 'tags') ?? [])
  return {
    ...inState(rest),
    ...(repository === undefined
      ? {}
      : { repository: parsedRepository === undefined ? null : inState(parsedRepository) }),
    ...(parsedOverwrites === undefined ? {} : { setting_overwrites: inState(parsedOverwrites) }),
    ...(project === undefined ? {} : { project }),
    ...(tags.length === 0 ? {} : { added_tags: tags }),
    ...relatedBindings(relationships),
  }
}
