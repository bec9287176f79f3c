import { any, bool } from '../../../state/kernel/shape/kinds.ts'
import type { ModuleChange, PublicationInput } from '../../../state/platform/modules/changes.ts'
import type { VersionStatusChange } from '../../../state/platform/modules/versions.ts'
import { isBlank } from '../../../state/platform/names.ts'
import { invalidAttributes, violation } from '../../../state/platform/violations.ts'
import type { PlatformDialect } from '../dialect.ts'
import { blankable, inState, optionalMembers, readMembers } from '../json-api/attributes.ts'
import type { ParsedBody } from '../operation.ts'
import { relatedBindings } from '../workspaces/tag-input.ts'
import { moduleType, versionType } from './module-resource.ts'

/** Form of a module without a repository. */
export const moduleForm = {
  type: moduleType,
  attributes: optionalMembers({
    name: blankable,
    provider: blankable,
    'registry-name': blankable,
    namespace: blankable,
    'no-code': bool,
  }),
} as const

/** Form of a module that comes from a repository. */
export const publicationForm = {
  type: moduleType,
  attributes: optionalMembers({
    name: blankable,
    provider: blankable,
    'initial-version': blankable,
    'no-code': bool,
    'vcs-repo': any,
    'test-config': any,
  }),
} as const

export const changeForm = {
  type: moduleType,
  attributes: optionalMembers({ 'no-code': bool, 'vcs-repo': any, 'test-config': any }),
} as const

export const versionForm = {
  type: versionType,
  attributes: optionalMembers({ version: blankable, 'commit-sha': blankable }),
} as const

/** Form of a change of the status of a module version. The type of the body is not checked. */
export const versionStatusForm = {
  attributes: optionalMembers({ deprecation: any, revocation: any }),
} as const

/** Values of `deprecated-status`, in lower case. */
const deprecationWords = ['deprecated', 'revoked', 'undeprecated'] as const

/** Values of `status` in `revocation`, in lower case. */
const revocationWords = ['revoked', 'unrevoked'] as const

const deprecationMembers = optionalMembers({
  'deprecated-status': blankable,
  reason: blankable,
  link: blankable,
})
const revocationMembers = optionalMembers({
  status: blankable,
  message: blankable,
  link: blankable,
})

/**
 * Parses a change of the status of a module version from the attribute `deprecation` or, if that is
 * missing, from `revocation`. The new status may have any letter case. Throws 422 if both
 * attributes are missing, and for a missing or unknown status.
 */
export function parseStatusChange(
  { attributes }: ParsedBody<typeof versionStatusForm.attributes>,
  dialect: PlatformDialect,
): VersionStatusChange {
  const deprecation = readMembers(
    'deprecation',
    deprecationMembers,
    attributes.deprecation,
    dialect,
  )
  if (deprecation !== undefined) {
    const { 'deprecated-status': status, reason, link } = deprecation
    const name = 'deprecation/deprecated-status'
    const to = requireWord(name, deprecationWords, status)
    if (to === 'undeprecated') return { to }
    return { to, text: reason ?? '', link: link ?? '' }
  }
  const revocation = readMembers('revocation', revocationMembers, attributes.revocation, dialect)
  const { status, message, link } = { ...revocation }
  if (revocation === undefined) throw invalidAttributes([violation('deprecation', 'blank')])
  const to = requireWord('revocation/status', revocationWords, status)
  return to === 'unrevoked' ? { to } : { to, text: message ?? '', link: link ?? '' }
}

/**
 * Returns the element of `words` that equals the value of an attribute, ignoring case. Throws 422
 * for a missing or unknown word.
 */
function requireWord<const Word extends string>(
  attribute: string,
  words: readonly Word[],
  sent: string | null | undefined,
): Word {
  const found = words.find((word) => word === sent?.toLowerCase())
  if (found !== undefined) return found
  throw invalidAttributes([violation(attribute, isBlank(sent) ? 'blank' : 'not-listed')])
}

/**
 * Input for a publication. The paths of deprecated routes do not name the organization. These
 * routes find the organization by its name in the body or by the token of the connection.
 */
interface Publication {
  readonly publication: PublicationInput
  readonly organization: string | null
  readonly oauthToken: string | null
}

/**
 * Parses a publication. The name of the repository provides a missing name or provider of the
 * module. Throws 422 for invalid members of the repository or of the test configuration.
 */
export function parsePublication(
  { attributes }: ParsedBody<typeof publicationForm.attributes>,
  dialect: PlatformDialect,
): Publication {
  const { 'vcs-repo': input, 'test-config': config, name, provider, ...rest } = attributes
  const { 'organization-name': organization = null, ...repository } =
    readMembers('vcs-repo', repositoryMembers, input, dialect) ?? {}
  const repositoryNames = parseRepositoryName(repository.identifier ?? '', dialect)
  return {
    publication: {
      ...inState(rest),
      name: name ?? repositoryNames.name ?? null,
      provider: provider ?? repositoryNames.provider ?? null,
      repository: inState(repository),
      ...parseTestConfig(config, dialect),
    },
    organization,
    oauthToken: repository['oauth-token-id'] ?? null,
  }
}

export function parseModuleChange(
  { attributes, relationships }: ParsedBody<typeof changeForm.attributes>,
  dialect: PlatformDialect,
): ModuleChange {
  const { 'vcs-repo': input, 'test-config': config, 'no-code': noCode } = attributes
  const repository = readMembers(
    'vcs-repo',
    optionalMembers({ branch: blankable, tags: bool, ...repositoryExtras }),
    input,
    dialect,
  )
  return {
    ...(noCode === undefined ? {} : { no_code: noCode }),
    ...relatedBindings(relationships),
    ...(repository === undefined ? {} : { repository: inState(repository) }),
    ...parseTestConfig(config, dialect),
  }
}

/** Repository settings that are stored and returned, but have no effect. */
const repositoryExtras = {
  'source-directory': blankable,
  'tag-prefix': blankable,
  'tags-regex': blankable,
}

const repositoryMembers = optionalMembers({
  identifier: blankable,
  'display-identifier': blankable,
  'oauth-token-id': blankable,
  'organization-name': blankable,
  branch: blankable,
  tags: bool,
  ...repositoryExtras,
})

function parseTestConfig(input: unknown, dialect: PlatformDialect) {
  const config = readMembers(
    'test-config',
    optionalMembers({
      'tests-enabled': bool,
      'agent-execution-mode': blankable,
      'agent-pool-id': blankable,
    }),
    input,
    dialect,
  )
  return config === undefined ? {} : { test_config: inState(config) }
}

/**
 * Parses provider and module name from a repository's name, `<owner>/<prefix>-<provider>-<name>`,
 * where the prefix is the product's name in either dialect (behaviour/platform#vendor-names).
 * Returns an empty object for other names.
 */
function parseRepositoryName(identifier: string, dialect: PlatformDialect) {
  const pattern = /^.+\/(?<prefix>[^/-]+)-(?<provider>[^/-]+)-(?<name>[^/]+)$/
  const { prefix = '', provider, name } = pattern.exec(identifier)?.groups ?? {}
  if (
    dialect.fromWire('product', prefix) !== 'infra' ||
    provider === undefined ||
    name === undefined
  )
    return {}
  return { name, provider }
}
