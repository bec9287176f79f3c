import { bool, constant, list, nullable, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, secret, struct } from '../../../state/kernel/shape/members.ts'
import { trimEndOf } from '../../../state/kernel/trimming.ts'
import { hasRight } from '../../../state/platform/accounts/callers.ts'
import {
  type Module,
  type ModuleVersion,
  moduleAttributes,
  moduleVersionAttributes,
  testConfigShape,
  type VcsRepo,
} from '../../../state/platform/modules/modules.ts'
import type { PendingVersion } from '../../../state/platform/modules/versions.ts'
import { isBlank } from '../../../state/platform/names.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import {
  flags,
  inDialect,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import { objectUrl } from '../objects/object-url.ts'
import type { PlatformContext } from '../operation.ts'

export const moduleType = 'registry-modules'
export const versionType = 'registry-module-versions'

const deprecationType = 'deprecations'

const permissionNames = ['can-delete', 'can-resync', 'can-retry'] as const

const moduleRenderer = attributeRenderer(moduleAttributes)
const testConfigRenderer = attributeRenderer(testConfigShape.fields)

const repositoryShape = struct({
  identifier: text,
  'display-identifier': text,
  'oauth-token-id': text,
  'github-app-installation-id': constant(null),
  branch: text,
  tags: bool,
  'ingress-submodules': constant(false),
  'repository-http-url': nullable(text),
  'service-provider': nullable(text),
  'webhook-url': nullable(text),
  'source-directory': nullable(text),
  'tag-prefix': nullable(text),
  'tags-regex': nullable(text),
})

const attributes = struct({
  ...moduleRenderer.shape.fields,
  'version-statuses': list(
    struct({
      version: text,
      status: moduleVersionAttributes.status,
      'commit-sha': nullable(text),
    }),
  ),
  'revoked-versions': described(optional(list(text)), 'Absent while no version is revoked'),
  'publishing-mechanism': word('branch', 'git_tag', 'non_vcs'),
  permissions: flags(permissionNames),
  'vcs-repo': described(optional(repositoryShape), 'Absent without a repository'),
  'test-config': nullable(
    struct({ ...testConfigRenderer.shape.fields, 'agent-pool-name': constant(null) }),
  ),
})

/** Shape of a registry module in replies (behaviour/platform#surroundings). */
export const moduleShape = resourceShape(moduleType, attributes, {
  links: selfLink,
  relationships: struct({
    organization: relationOf('organizations'),
    'no-code-modules': optional(relationsOf('no-code-modules')),
  }),
})

/** Renders a module with the caller's permissions and with addresses that the caller can reach. */
export function moduleResource(
  { world, caller, origin }: Pick<PlatformContext<unknown>, 'world' | 'caller' | 'origin'>,
  module: Module,
): Resource {
  const mayManage = hasRight(world, caller, module.organization, 'manage-modules')
  const resource = world.derived(module, mayManage ? resourceForManager : resourceForReader)
  const { vcs_repo } = module
  if (vcs_repo === null) return resource
  const repository = repositoryOf(vcs_repo, origin)
  return { ...resource, attributes: { ...resource.attributes, 'vcs-repo': repository } }
}

const resourceForManager = (module: Module) => resourceOf(module, true)
const resourceForReader = (module: Module) => resourceOf(module, false)

function resourceOf(module: Module, mayManage: boolean): Resource {
  const { organization, registry_name, namespace, name, provider } = module
  const path = [organization, 'registry-modules', registry_name, namespace, name, provider]
  return {
    id: module.id,
    type: moduleType,
    attributes: {
      ...moduleRenderer.render(module),
      'version-statuses': module.versions.map(({ version, status, commit_sha = null }) => ({
        version,
        status,
        'commit-sha': commit_sha,
      })),
      ...revokedVersions(module),
      'publishing-mechanism': mechanismOf(module),
      permissions: { 'can-delete': mayManage, 'can-resync': mayManage, 'can-retry': mayManage },
      'test-config': testConfigOf(module),
    },
    relationships: { organization: { data: { id: organization, type: 'organizations' } } },
    links: { self: `/api/v2/organizations/${path.join('/')}` },
  }
}

function revokedVersions({ versions }: Module) {
  const revoked = versions.filter(({ revocation }) => revocation !== undefined)
  return revoked.length === 0 ? {} : { 'revoked-versions': revoked.map(({ version }) => version) }
}

function mechanismOf({ vcs_repo }: Module): 'branch' | 'git_tag' | 'non_vcs' {
  if (vcs_repo === null) return 'non_vcs'
  return vcs_repo.branch === '' ? 'git_tag' : 'branch'
}

/**
 * Renders `vcs-repo`, which a module without a repository does not have
 * (behaviour/platform#surroundings).
 */
function repositoryOf(repository: VcsRepo, origin: string) {
  const { identifier, webhook } = repository
  return {
    identifier,
    'display-identifier': repository.display_identifier,
    'oauth-token-id': repository.oauth_token_id,
    'github-app-installation-id': null,
    branch: repository.branch,
    tags: repository.tags,
    'ingress-submodules': false,
    'repository-http-url': repositoryAddress(repository) ?? null,
    'service-provider': repository.service_provider ?? null,
    'webhook-url': webhook === undefined ? null : `${origin}/webhooks/vcs/${webhook}`,
    'source-directory': repository.source_directory ?? null,
    'tag-prefix': repository.tag_prefix ?? null,
    'tags-regex': repository.tags_regex ?? null,
  }
}

/** Returns the address of a repository for browsers; undefined if its provider is not known. */
export function repositoryAddress(repository: VcsRepo | null): string | undefined {
  if (repository?.http_url == null) return undefined
  return `${trimEndOf(repository.http_url, '/')}/${repository.identifier}`
}

/**
 * Renders the test configuration, always without the name of an agent pool. Returns null for a
 * module without a test configuration.
 */
function testConfigOf({ test_config }: Module) {
  if (test_config === null) return null
  return { ...testConfigRenderer.render(test_config), 'agent-pool-name': null }
}

const versionRenderer = attributeRenderer({
  ...moduleVersionAttributes,
  branch: optional(text),
  revocation: optional(struct({ status: text, message: optional(text), link: optional(text) })),
  // Versions have no update time of their own, so replies contain the creation time instead.
  updated_at: moduleVersionAttributes.created_at,
})

export const versionShape = resourceShape(versionType, versionRenderer.shape, {
  links: struct({ upload: secret(described(optional(text), 'URL for the upload of the archive')) }),
  relationships: struct({
    'registry-module': relationOf(moduleType),
    deprecation: optional(relationOf(deprecationType)),
  }),
})

/** Renders a version. While the version waits for its archive, the upload address is included. */
export function versionResource(
  { version, secret }: PendingVersion,
  module: Module,
  context: PlatformContext<unknown>,
): Resource {
  const branch = module.vcs_repo?.branch
  const resource: Resource = {
    id: version.id,
    type: versionType,
    attributes: versionRenderer.render({
      commit_sha: null,
      ...version,
      updated_at: version.created_at,
      ...(isBlank(branch) ? {} : { branch }),
      ...(version.revocation && { revocation: { status: 'Revoked', ...version.revocation } }),
    }),
    relationships: {
      'registry-module': { data: { id: module.id, type: moduleType } },
      ...(version.deprecation && {
        deprecation: { data: { id: version.id, type: deprecationType } },
      }),
    },
    links: secret === undefined ? {} : { upload: objectUrl(context, secret) },
  }
  return inDialect(resource, versionRenderer.shape, context.dialect)
}

/** Shape of the notice that a version is deprecated. The notice has the id of the version. */
export const deprecationShape = resourceShape(deprecationType, struct({ reason: text, link: text }))

/**
 * Renders the notice that a version is deprecated. Returns an empty list for a version that is not
 * deprecated.
 */
export function deprecationResources({ id, deprecation }: ModuleVersion): Resource[] {
  return deprecation === undefined ? [] : [{ id, type: deprecationType, attributes: deprecation }]
}
