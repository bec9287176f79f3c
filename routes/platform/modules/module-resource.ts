import { constant, list, nullable, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/world.ts'
import { type Caller, hasRight } from '../../../state/platform/accounts/callers.ts'
import {
  type Module,
  moduleTold,
  moduleVersionTold,
  testConfigShape,
  vcsRepoShape,
} from '../../../state/platform/modules/modules.ts'
import type { AwaitedVersion } from '../../../state/platform/modules/versions.ts'
import {
  flags,
  inDialect,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import { telling } from '../json-api/telling.ts'
import { objectUrl } from '../objects/object-url.ts'
import type { PlatformContext } from '../operation.ts'

/** Types of resources. */
export const moduleType = 'registry-modules'
export const versionType = 'registry-module-versions'

const permissionNames = ['can-delete', 'can-resync', 'can-retry'] as const

const told = telling(moduleTold)
const toldOfRepository = telling(vcsRepoShape.fields)
const toldOfTests = telling(testConfigShape.fields)

const attributes = struct({
  ...told.shape.fields,
  'version-statuses': list(struct({ version: text, status: moduleVersionTold.status })),
  'publishing-mechanism': word('branch', 'git_tag', 'non_vcs'),
  permissions: flags(permissionNames),
  'vcs-repo': described(
    optional(struct({ ...toldOfRepository.shape.fields, 'ingress-submodules': constant(true) })),
    'Missing without a repository',
  ),
  'test-config': nullable(
    struct({ ...toldOfTests.shape.fields, 'agent-pool-name': constant(null) }),
  ),
})

/** A module of the registry (2-platform-decisions.md section 5.2). */
export const moduleShape = resourceShape(moduleType, attributes, {
  links: selfLink,
  relationships: struct({ organization: relationOf('organizations') }),
})

/** A module; permissions are the caller's. */
export function moduleResource(world: World, module: Module, caller: Caller): Resource {
  const manages = hasRight(world, caller, module.organization, 'manage-modules')
  return world.derived(module, manages ? forManagers : forReaders)
}

const forManagers = (module: Module) => resourceOf(module, true)
const forReaders = (module: Module) => resourceOf(module, false)

function resourceOf(module: Module, manages: boolean): Resource {
  const { organization, registry_name, namespace, name, provider } = module
  const path = [organization, 'registry-modules', registry_name, namespace, name, provider]
  return {
    id: module.id,
    type: moduleType,
    attributes: {
      ...told.of(module),
      'version-statuses': module.versions.map(({ version, status }) => ({ version, status })),
      'publishing-mechanism': mechanismOf(module),
      permissions: { 'can-delete': manages, 'can-resync': manages, 'can-retry': manages },
      ...repositoryOf(module),
      'test-config': testConfigOf(module),
    },
    relationships: { organization: { data: { id: organization, type: 'organizations' } } },
    links: { self: `/api/v2/organizations/${path.join('/')}` },
  }
}

function mechanismOf({ vcs_repo }: Module): 'branch' | 'git_tag' | 'non_vcs' {
  if (vcs_repo === null) return 'non_vcs'
  return vcs_repo.branch === '' ? 'git_tag' : 'branch'
}

/** Without a repository there is no key: clients take null for one (section 5.2). */
function repositoryOf({ vcs_repo }: Module) {
  if (vcs_repo === null) return {}
  return { 'vcs-repo': { ...toldOfRepository.of(vcs_repo), 'ingress-submodules': true } }
}

/** Pools of agents are not served, so they have no names. */
function testConfigOf({ test_config }: Module) {
  if (test_config === null) return null
  return { ...toldOfTests.of(test_config), 'agent-pool-name': null }
}

const toldOfVersion = telling({
  ...moduleVersionTold,
  // A version is as old as what is known of it.
  updated_at: moduleVersionTold.created_at,
})

/** A version that waits for its archive. */
export const versionShape = resourceShape(versionType, toldOfVersion.shape, {
  links: struct({ upload: text }),
  relationships: struct({ 'registry-module': relationOf(moduleType) }),
})

/** A version that waits for its archive, with the address where it goes. */
export function versionResource(
  { version, secret }: AwaitedVersion,
  module: Module,
  context: PlatformContext<unknown>,
): Resource {
  const resource: Resource = {
    id: version.id,
    type: versionType,
    attributes: toldOfVersion.of({ ...version, updated_at: version.created_at }),
    relationships: { 'registry-module': { data: { id: module.id, type: moduleType } } },
    links: { upload: objectUrl(context, secret) },
  }
  return inDialect(resource, toldOfVersion.shape, context.dialect)
}
