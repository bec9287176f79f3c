import { any, bool } from '../../../state/kernel/shape/kinds.ts'
import { partial, struct } from '../../../state/kernel/shape/members.ts'
import type {
  ModuleChange,
  ModuleInput,
  PublicationInput,
} from '../../../state/platform/modules/changes.ts'
import type { TestConfigInput } from '../../../state/platform/modules/test-config.ts'
import type { PlatformDialect } from '../dialect.ts'
import { blankable, inState, readMembers } from '../json-api/attributes.ts'
import type { PlatformContext } from '../operation.ts'
import { moduleType, versionType } from './module-resource.ts'

/** Returns what a caller says of a module without a repository. */
export function moduleInput({ input }: PlatformContext<unknown>): ModuleInput {
  const { attributes } = input(
    partial(
      struct({
        name: blankable,
        provider: blankable,
        'registry-name': blankable,
        namespace: blankable,
        'no-code': bool,
      }),
    ),
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
    partial(
      struct({
        name: blankable,
        provider: blankable,
        'initial-version': blankable,
        'no-code': bool,
        'vcs-repo': any,
        'test-config': any,
      }),
    ),
    { type: moduleType },
  )
  const { 'vcs-repo': sent, 'test-config': config, name, provider, ...rest } = attributes
  const { 'organization-name': organization = null, ...repository } =
    readMembers('vcs-repo', repositoryMembers, sent, dialect) ?? {}
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
    partial(struct({ 'no-code': bool, 'vcs-repo': any, 'test-config': any })),
    { type: moduleType },
  )
  const { 'vcs-repo': sent, 'test-config': config, 'no-code': noCode } = attributes
  const repository = readMembers(
    'vcs-repo',
    partial(struct({ branch: blankable, tags: bool })),
    sent,
    dialect,
  )
  return {
    ...(noCode === undefined ? {} : { no_code: noCode }),
    ...(repository === undefined ? {} : { repository }),
    ...testConfig(config, dialect),
  }
}

/** The number that a caller gives a version. */
export function versionInput({ input }: PlatformContext<unknown>): string | null | undefined {
  return input(partial(struct({ version: blankable })), { type: versionType }).attributes.version
}

const repositoryMembers = partial(
  struct({
    identifier: blankable,
    'display-identifier': blankable,
    'oauth-token-id': blankable,
    'organization-name': blankable,
    branch: blankable,
    tags: bool,
  }),
)

function testConfig(
  sent: unknown,
  dialect: PlatformDialect,
): { readonly test_config?: TestConfigInput } {
  const config = readMembers(
    'test-config',
    partial(
      struct({
        'tests-enabled': bool,
        'agent-execution-mode': blankable,
        'agent-pool-id': blankable,
      }),
    ),
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
