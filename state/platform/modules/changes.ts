import type { World } from '../../kernel/worlds/world.ts'
import { refuse, requireFound } from '../messages.ts'
import { isBlank, isModuleName, isProviderName, isVersion, type TextInput } from '../names.ts'
import { dropNoCodeModuleOf, syncNoCodeModule } from '../no-code/no-code-modules.ts'
import { bindingsOf, replacedBindings, type TagInput } from '../tags/tags.ts'
import { Violations } from '../violations.ts'
import { removeDependentData } from './dependent-data.ts'
import {
  dropModule,
  type Module,
  type ModuleName,
  moduleNamed,
  newModule,
  putModule,
  type VcsRepo,
} from './modules.ts'
import { oauthClientOfToken } from './oauth-clients.ts'
import { type TestConfigInput, testConfigAfter } from './test-config.ts'
import { dropModuleArchive, newModuleVersion, withModuleChanges } from './versions.ts'

/** Members of a request for a module without a repository. Null is handled like a blank string. */
interface ModuleInput extends TextInput<'name' | 'provider'> {
  /** If missing or null, the registry is `private`. */
  readonly registry_name?: string | null
  /** Namespace of a public module. For a private module it must be the organization's name. */
  readonly namespace?: string | null
  readonly no_code?: boolean
}

/** The repository in a request for a module. Null is handled like a blank string. */
interface ModuleRepositoryInput
  extends TextInput<
    | 'identifier'
    | 'display_identifier'
    | 'oauth_token_id'
    | 'branch'
    | 'source_directory'
    | 'tag_prefix'
    | 'tags_regex'
  > {
  readonly tags?: boolean
}

/** Members of a request for a module that comes from a repository. */
export interface PublicationInput extends TextInput<'provider' | 'initial_version'> {
  readonly repository: ModuleRepositoryInput
  /**
   * Module name. If the request has no name or provider, the route derives it from the name of the
   * repository.
   */
  readonly name?: string | null
  readonly test_config?: TestConfigInput
  readonly no_code?: boolean
}

/** Members of a request that changes a module. Missing members stay unchanged. */
export interface ModuleChange {
  readonly repository?: RepositoryChange
  readonly test_config?: TestConfigInput
  readonly no_code?: boolean
  /** Complete list of tags, which replaces the tags of the module. */
  readonly tags?: readonly TagInput[]
}

/** Version that a module from a repository starts with, unless the request names another one. */
const firstVersion = '0.0.0'

/**
 * Adds a module that has neither a repository nor versions. If `no_code` is set for a private
 * module, also adds its no-code module. Throws 422 for names that are invalid or taken
 * (behaviour/platform#surroundings).
 */
export function createModule(world: World, organization: string, input: ModuleInput): Module {
  const violations = new Violations()
  const registry = input.registry_name ?? 'private'
  const isPublic = registry === 'public'
  if (!isPublic && registry !== 'private') {
    violations.add('registry-name', 'not-listed')
  }
  const namespace = input.namespace ?? (isPublic ? '' : organization)
  if (isPublic && isBlank(namespace)) {
    violations.add('namespace', 'blank')
  } else if (isPublic ? !isModuleName(namespace) : namespace !== organization) {
    violations.add('namespace', 'invalid')
  }
  const name: ModuleName = {
    organization,
    registry_name: isPublic ? 'public' : 'private',
    namespace,
    name: input.name ?? '',
    provider: input.provider ?? '',
  }
  checkName(world, name, violations)
  violations.check()
  const no_code = input.no_code ?? false
  return world.write(() =>
    syncNoCodeModule(world, putModule(world, newModule(world, name, { no_code }))),
  )
}

/**
 * Adds a private module that comes from a repository. The repository is never contacted, so the
 * module is set up at once and has one version. Also adds the no-code module if `no_code` is set.
 * Throws 422 for invalid members, and 404 if the OAuth token does not belong to the organization.
 */
export function publishModule(world: World, organization: string, input: PublicationInput): Module {
  const violations = new Violations()
  const { identifier, display_identifier, oauth_token_id } = input.repository
  if (isBlank(identifier)) {
    violations.add('vcs-repo/identifier', 'blank')
  }
  const name: ModuleName = {
    organization,
    registry_name: 'private',
    namespace: organization,
    name: input.name ?? '',
    provider: input.provider ?? '',
  }
  if (!isBlank(input.name) || !isBlank(input.provider)) checkName(world, name, violations)
  else if (!isBlank(identifier)) violations.add('name', 'invalid')
  const version = isBlank(input.initial_version) ? firstVersion : input.initial_version
  if (!isVersion(version)) violations.add('initial-version', 'invalid')
  const published = publishedSource({ branch: '', tags: true }, input.repository, violations)
  const test_config = testConfigAfter(world, null, input.test_config, violations)
  violations.check()

  const client = isBlank(oauth_token_id) ? undefined : oauthClientOfToken(world, oauth_token_id)
  if (!isBlank(oauth_token_id) && client?.organization !== organization) throw refuse('not-found')
  return world.write(() => {
    const versions = [newModuleVersion(world, version, { status: 'ok', source: 'repository' })]
    const vcs_repo = {
      identifier: identifier ?? '',
      display_identifier: display_identifier ?? identifier ?? '',
      oauth_token_id: oauth_token_id ?? '',
      ...published,
      ...repositoryOptions({}, input.repository),
      service_provider: client?.service_provider ?? null,
      http_url: client?.http_url ?? null,
      webhook: world.ids.uuid(),
    }
    const no_code = input.no_code ?? false
    const status = 'setup_complete'
    const attributes = { status, versions, vcs_repo, test_config, no_code } as const
    return syncNoCodeModule(world, putModule(world, newModule(world, name, attributes)))
  })
}

/**
 * Changes and stores the given members of a module, and applies `no_code` to the no-code module
 * that belongs to the module. Throws 422 for invalid attributes, and if the request changes the
 * repository of a module that has no repository.
 */
export function changeModule(world: World, module: Module, change: ModuleChange): Module {
  const violations = new Violations()
  const { repository } = change
  const before = module.vcs_repo
  if (repository !== undefined && before === null) {
    violations.add('vcs-repo', 'invalid')
  }
  const vcs_repo =
    repository === undefined || before === null
      ? before
      : {
          ...before,
          ...publishedSource(before, repository, violations),
          ...repositoryOptions(before, repository),
        }
  const test_config = testConfigAfter(world, module.test_config, change.test_config, violations)
  violations.check()
  const no_code = change.no_code ?? module.no_code
  const { tags } = change
  return world.write(() => {
    const tagged =
      tags === undefined ? {} : { tag_bindings: replacedBindings(world, bindingsOf(module), tags) }
    const changed = putModule(
      world,
      withModuleChanges(world, module, { vcs_repo, test_config, no_code, ...tagged }),
    )
    return syncNoCodeModule(world, changed)
  })
}

/**
 * Deletes a module with its versions, configuration versions, test runs, variables and no-code
 * module.
 */
export function deleteModule(world: World, module: Module): void {
  world.write(() => {
    for (const version of module.versions) dropModuleArchive(world, version)
    removeDependentData(world, module.id)
    dropNoCodeModuleOf(world, module.id)
    dropModule(world, module)
  })
}

/**
 * Deletes a version of a module or, if it is the only version, the module. Throws 404 if the
 * version is unknown.
 */
export function deleteModuleVersion(world: World, module: Module, number: string): void {
  const version = requireFound(module.versions.find((one) => one.version === number))
  const versions = module.versions.filter((one) => one !== version)
  if (versions.length === 0) {
    deleteModule(world, module)
    return
  }
  world.write(() => {
    dropModuleArchive(world, version)
    putModule(world, withModuleChanges(world, module, { versions }))
  })
}

function checkName(world: World, name: ModuleName, violations: Violations): void {
  const before = violations.count
  const addBlank = (attribute: string) => violations.add(attribute, 'blank')
  const addInvalid = (attribute: string) => violations.add(attribute, 'invalid')
  if (isBlank(name.name)) addBlank('name')
  else if (!isModuleName(name.name)) addInvalid('name')
  if (isBlank(name.provider)) addBlank('provider')
  else if (!isProviderName(name.provider)) addInvalid('provider')
  if (violations.count === before && moduleNamed(world, name) !== undefined) {
    violations.add('name', 'taken')
  }
}

/** Members of a repository that a request can change. */
type RepositoryChange = Pick<ModuleRepositoryInput, 'branch' | 'tags' | RepositoryOption>

type RepositoryOption = 'source_directory' | 'tag_prefix' | 'tags_regex'

/**
 * Returns the settings of a repository after a change. The settings are stored and returned, but
 * have no effect.
 */
function repositoryOptions(
  before: Pick<VcsRepo, RepositoryOption>,
  input: Pick<ModuleRepositoryInput, RepositoryOption>,
): Record<RepositoryOption, string | null> {
  const updated = (name: RepositoryOption): string | null =>
    (input[name] === undefined ? before[name] : input[name]) ?? null
  return {
    source_directory: updated('source_directory'),
    tag_prefix: updated('tag_prefix'),
    tags_regex: updated('tags_regex'),
  }
}

type PublishedSource = Pick<VcsRepo, 'branch' | 'tags'>

/**
 * Returns the source of a module's versions after a change: a branch of the repository, or the tags
 * of the repository. Adds a violation if the request sets both.
 */
function publishedSource(
  before: PublishedSource,
  { branch, tags }: Pick<ModuleRepositoryInput, 'branch' | 'tags'>,
  violations: Violations,
): PublishedSource {
  if (isBlank(branch)) {
    const keepsBranch = branch === undefined && tags !== true
    const branchOrTags = keepsBranch ? before.branch : ''
    return { branch: branchOrTags, tags: branchOrTags === '' }
  }
  if (tags === true) violations.add('vcs-repo/branch', 'not-blank')
  return { branch, tags: false }
}
