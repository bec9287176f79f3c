import {
  bool,
  instant,
  list,
  nullable,
  text,
  translatedText,
  word,
} from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { platformTable } from '../table.ts'
import { tagBindingsShape } from '../tags/tags.ts'

/** Test configuration of a module. */
export const testConfigShape = struct({
  /** Id of the form `tc-…`. */
  id: text,
  tests_enabled: bool,
  agent_execution_mode: word('remote', 'agent'),
  agent_pool_id: nullable(text),
})

export interface TestConfig extends StoredOf<typeof testConfigShape> {}

const versionShape = struct({
  /** Id of the form `modver-…`. */
  id: text,
  version: text,
  status: word('pending', 'ok'),
  source: text,
  created_at: instant,
  /** Commit that the version was published from; null or missing if unknown. */
  commit_sha: optional(nullable(text)),
  /** Present if the version is deprecated: it still works, but is no longer recommended. */
  deprecation: optional(struct({ reason: text, link: text })),
  /**
   * Present if the version is revoked and must no longer be used. The mock does not enforce this
   * rule.
   */
  revocation: optional(struct({ message: text, link: text })),
})

/** A version of a module, which clients can download once the status is `ok`. */
export interface ModuleVersion extends StoredOf<typeof versionShape> {}

export const moduleVersionAttributes = {
  source: translatedText({ 'ent-api': 'tfe-api' }),
  status: versionShape.fields.status,
  version: text,
  created_at: instant,
  commit_sha: nullable(text),
}

const vcsRepoShape = struct({
  branch: text,
  identifier: text,
  display_identifier: text,
  oauth_token_id: text,
  tags: bool,
  /**
   * Setting that has no effect, like `tag_prefix` and `tags_regex`; null or missing if no request
   * has set it.
   */
  source_directory: optional(nullable(text)),
  tag_prefix: optional(nullable(text)),
  tags_regex: optional(nullable(text)),
  /** Provider of the connection with which the module was created; null without a connection. */
  service_provider: optional(nullable(text)),
  /** URL of the connection with which the module was created; null without a connection. */
  http_url: optional(nullable(text)),
  /** UUID of the webhook that the provider would call; missing in documents of old releases. */
  webhook: optional(text),
})

/** Repository that a module comes from. */
export interface VcsRepo extends StoredOf<typeof vcsRepoShape> {}

export const moduleAttributes = {
  name: text,
  namespace: text,
  registry_name: word('private', 'public'),
  provider: text,
  status: word('pending', 'no_version_tags', 'setup_failed', 'setup_complete'),
  no_code: bool,
  created_at: instant,
  updated_at: instant,
}

const moduleShape = struct({
  ...moduleAttributes,
  /** Id of the form `mod-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  versions: list(versionShape),
  vcs_repo: nullable(vcsRepoShape),
  tag_bindings: optional(tagBindingsShape),
  /** Null if tests were never configured. */
  test_config: nullable(testConfigShape),
})

/**
 * A module in an organization's registry. A module with the registry name `public` is only a
 * reference to a module of the public registry.
 */
export interface Module extends StoredOf<typeof moduleShape> {}

/** Modules by `<organization>/<registry name>/<namespace>/<name>/<provider>`. */
export const modules = platformTable('modules', moduleShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

/** Names that identify a module. */
export type ModuleName = Pick<
  Module,
  'organization' | 'registry_name' | 'namespace' | 'name' | 'provider'
>

export function moduleKey(name: ModuleName): string {
  const { organization, registry_name, namespace, provider } = name
  return [organization, registry_name, namespace, name.name, provider].join('/')
}

/** Inserts or updates a module. Must run inside a transaction. */
export function putModule(world: World, module: Module): Module {
  world.table(modules).put(moduleKey(module), module)
  return module
}

/**
 * Returns a new module, which has no versions unless `overrides` contains some. The caller stores
 * the module.
 */
export function newModule(world: World, name: ModuleName, overrides: Partial<Module> = {}): Module {
  const now = world.clock.now()
  return {
    id: newId(world, 'mod'),
    ...name,
    status: 'pending',
    versions: [],
    no_code: false,
    vcs_repo: null,
    test_config: null,
    created_at: now,
    updated_at: now,
    ...overrides,
  }
}

export function moduleWithId(world: World, id: string): Module | undefined {
  return world.table(modules).index('byId').get(id)
}

/**
 * Returns the modules whose keys begin with `names`: an organization, or an organization followed
 * by further parts of the key in order.
 */
export function modulesUnder(world: World, ...names: readonly string[]): Module[] {
  return Array.from(world.table(modules).rows(names.map((name) => `${name}/`).join('')))
}

export function moduleNamed(world: World, name: ModuleName): Module | undefined {
  return world.table(modules).get(moduleKey(name))
}

/** Deletes a module, but not its data in other tables. Must run inside a transaction. */
export function dropModule(world: World, module: Module): void {
  world.table(modules).delete(moduleKey(module))
}
