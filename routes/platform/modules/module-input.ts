import type {
  ModuleChange,
  ModuleInput,
  PublicationInput,
} from '../../../state/platform/modules/changes.ts'
import type { TestConfigInput } from '../../../state/platform/modules/test-config.ts'
import type { PlatformDialect } from '../dialect.ts'
import { inState, readMembers } from '../json-api/attributes.ts'
import type { PlatformContext } from '../operation.ts'
import { moduleType, versionType } from './module-resource.ts'

/** Returns what a caller says of a module without a repository. */
export function moduleInput({ input }: PlatformContext<unknown>): ModuleInput {
  const { attributes } = input(
    {
      name: 'string',
      provider: 'string',
      'registry-name': 'string',
      namespace: 'string',
      'no-code': 'boolean',
    },
    { type: moduleType },
  )
  return inState(attributes)
}

/** A publication, and the organization that its repository names, as deprecated routes need it. */
export interface Publication {
  readonly publication: PublicationInput
  readonly organization: string | null
  readonly oauthToken: string | null
}

/** Returns what a caller says of a module that comes from a repository. */
export function publicationInput({ input, dialect }: PlatformContext<unknown>): Publication {
  const { attributes } = input(
    {
      name: 'string',
      provider: 'string',
      'initial-version': 'string',
      'no-code': 'boolean',
      'vcs-repo': 'any',
      'test-config': 'any',
    },
    { type: moduleType },
  )
  const { 'vcs-repo': sent, 'test-config': config, name, provider, ...rest } = attributes
  const { 'organization-name': organization = null, ...repository } =
    readMembers('vcs-repo', repositoryTypes, sent, dialect) ?? {}
  const named = namesIn(repository.identifier ?? '', dialect)
  return {
    publication: {
      ...inState(rest),
      name: name ?? named.name ?? null,
      provider: provider ?? named.provider ?? null,
      repository: inState(repository),
      ...testConfig(config, dialect),
    },
    organization,
    oauthToken: repository['oauth-token-id'] ?? null,
  }
}

/** Returns what a caller changes of a module. */
export function moduleChange({ input, dialect }: PlatformContext<unknown>): ModuleChange {
  const { attributes } = input(
    { 'no-code': 'boolean', 'vcs-repo': 'any', 'test-config': 'any' },
    { type: moduleType },
  )
  const { 'vcs-repo': sent, 'test-config': config, 'no-code': noCode } = attributes
  const repository = readMembers('vcs-repo', { branch: 'string', tags: 'boolean' }, sent, dialect)
  return {
    ...(noCode === undefined ? {} : { no_code: noCode }),
    ...(repository === undefined ? {} : { repository }),
    ...testConfig(config, dialect),
  }
}

/** The number that a caller gives a version. */
export function versionInput({ input }: PlatformContext<unknown>): string | null | undefined {
  return input({ version: 'string' }, { type: versionType }).attributes.version
}

const repositoryTypes = {
  identifier: 'string',
  'display-identifier': 'string',
  'oauth-token-id': 'string',
  'organization-name': 'string',
  branch: 'string',
  tags: 'boolean',
} as const

function testConfig(
  sent: unknown,
  dialect: PlatformDialect,
): { readonly test_config?: TestConfigInput } {
  const config = readMembers(
    'test-config',
    {
      'tests-enabled': 'boolean',
      'agent-execution-mode': 'string',
      'agent-pool-id': 'string',
    },
    sent,
    dialect,
  )
  return config === undefined ? {} : { test_config: inState(config) }
}

/**
 * Provider and name in a repository's: `<owner>/<prefix>-<provider>-<name>`, where the prefix is the
 * product's in either dialect (2-platform-decisions.md sections 5.2 and 9).
 */
function namesIn(
  identifier: string,
  dialect: PlatformDialect,
): { readonly name?: string; readonly provider?: string } {
  const form = /^.+\/(?<prefix>[^/-]+)-(?<provider>[^/-]+)-(?<name>[^/]+)$/
  const { prefix = '', provider, name } = form.exec(identifier)?.groups ?? {}
  if (dialect.in('product', prefix) !== 'infra' || provider === undefined || name === undefined)
    return {}
  return { name, provider }
}
