import type { World } from '../../../state/kernel/world.ts'
import { type Caller, hasRight } from '../../../state/platform/accounts/callers.ts'
import type { Module } from '../../../state/platform/modules/modules.ts'
import type { AwaitedVersion } from '../../../state/platform/modules/versions.ts'
import { attributeTime } from '../../../state/platform/timestamps.ts'
import {
  flags,
  identifierOf,
  type Resource,
  relationOf,
  resourceSchema,
  selfSchema,
} from '../json-api/resource.ts'
import { objectUrl } from '../objects/object-url.ts'
import type { PlatformContext } from '../operation.ts'

/** Types of resources. */
export const moduleType = 'registry-modules'
export const versionType = 'registry-module-versions'

const permissionNames = ['can-delete', 'can-resync', 'can-retry'] as const
const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const flag = { type: 'boolean' } as const

/** A module of the registry (2-platform-decisions.md section 5.2). */
export const moduleSchema = resourceSchema(
  moduleType,
  {
    name: text,
    namespace: text,
    'registry-name': { enum: ['private', 'public'] },
    provider: text,
    status: { enum: ['pending', 'no_version_tags', 'setup_failed', 'setup_complete'] },
    'version-statuses': {
      type: 'array',
      items: {
        type: 'object',
        required: ['version', 'status'],
        additionalProperties: false,
        properties: { version: text, status: { enum: ['pending', 'ok'] } },
      },
    },
    'publishing-mechanism': { enum: ['branch', 'git_tag', 'non_vcs'] },
    'no-code': flag,
    'created-at': text,
    'updated-at': text,
    permissions: flags(permissionNames),
    'vcs-repo': {
      type: ['object', 'null'],
      required: [
        'branch',
        'identifier',
        'display-identifier',
        'oauth-token-id',
        'ingress-submodules',
        'tags',
      ],
      additionalProperties: false,
      properties: {
        branch: text,
        identifier: text,
        'display-identifier': text,
        'oauth-token-id': text,
        'ingress-submodules': flag,
        tags: flag,
      },
    },
    'test-config': {
      type: ['object', 'null'],
      required: ['id', 'tests-enabled', 'agent-execution-mode', 'agent-pool-id', 'agent-pool-name'],
      additionalProperties: false,
      properties: {
        id: text,
        'tests-enabled': flag,
        'agent-execution-mode': { enum: ['remote', 'agent'] },
        'agent-pool-id': textOrNull,
        'agent-pool-name': textOrNull,
      },
    },
  },
  {
    links: selfSchema,
    relationships: {
      type: 'object',
      required: ['organization'],
      additionalProperties: false,
      properties: { organization: relationOf('organizations') },
    },
  },
)

/** A module; permissions are the caller's. */
export function moduleResource(world: World, module: Module, caller: Caller): Resource {
  const { organization, registry_name, namespace, name, provider } = module
  const manages = hasRight(world, caller, organization, 'manage-modules')
  const path = [organization, 'registry-modules', registry_name, namespace, name, provider]
  return {
    id: module.id,
    type: moduleType,
    attributes: {
      name,
      namespace,
      'registry-name': registry_name,
      provider,
      status: module.status,
      'version-statuses': module.versions.map(({ version, status }) => ({ version, status })),
      'publishing-mechanism': mechanismOf(module),
      'no-code': module.no_code,
      'created-at': attributeTime(module.created_at),
      'updated-at': attributeTime(module.updated_at),
      permissions: { 'can-delete': manages, 'can-resync': manages, 'can-retry': manages },
      'vcs-repo': repositoryOf(module),
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

function repositoryOf({ vcs_repo }: Module) {
  if (vcs_repo === null) return null
  return {
    branch: vcs_repo.branch,
    identifier: vcs_repo.identifier,
    'display-identifier': vcs_repo.display_identifier,
    'oauth-token-id': vcs_repo.oauth_token_id,
    'ingress-submodules': true,
    tags: vcs_repo.tags,
  }
}

/** Pools of agents are not served, so they have no names. */
function testConfigOf({ test_config }: Module) {
  if (test_config === null) return null
  return {
    id: test_config.id,
    'tests-enabled': test_config.tests_enabled,
    'agent-execution-mode': test_config.agent_execution_mode,
    'agent-pool-id': test_config.agent_pool_id,
    'agent-pool-name': null,
  }
}

/** A version that waits for its archive. */
export const versionSchema = resourceSchema(
  versionType,
  {
    source: text,
    status: { enum: ['pending', 'ok'] },
    version: text,
    'created-at': text,
    'updated-at': text,
  },
  {
    links: {
      type: 'object',
      required: ['upload'],
      additionalProperties: false,
      properties: { upload: text },
    },
    relationships: {
      type: 'object',
      required: ['registry-module'],
      additionalProperties: false,
      properties: {
        'registry-module': {
          type: 'object',
          required: ['data'],
          additionalProperties: false,
          properties: { data: identifierOf(moduleType) },
        },
      },
    },
  },
)

/** A version that waits for its archive, with the address where it goes. */
export function versionResource(
  { version, secret }: AwaitedVersion,
  module: Module,
  context: PlatformContext<unknown>,
): Resource {
  const time = attributeTime(version.created_at)
  return {
    id: version.id,
    type: versionType,
    attributes: {
      source: context.dialect.out('source', version.source),
      status: version.status,
      version: version.version,
      'created-at': time,
      'updated-at': time,
    },
    relationships: { 'registry-module': { data: { id: module.id, type: moduleType } } },
    links: { upload: objectUrl(context, secret) },
  }
}
