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
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'

/** The set-up of a module's tests, as it is told (behaviour/platform#surroundings, test-config). */
export const testConfigShape = struct({
  /** `tc-…` */
  id: text,
  tests_enabled: bool,
  agent_execution_mode: word('remote', 'agent'),
  agent_pool_id: nullable(text),
})

/** The set-up of a module's tests. */
export interface TestConfig extends StoredOf<typeof testConfigShape> {}

const versionShape = struct({
  /** `modver-…` */
  id: text,
  version: text,
  status: word('pending', 'ok'),
  source: text,
  created_at: instant,
})

/** A published version of a module. */
export interface ModuleVersion extends StoredOf<typeof versionShape> {}

/** Renders what a version tells of itself, by the attributes' names. */
export const moduleVersionAttributes = {
  source: translatedText({ 'ent-api': 'tfe-api' }),
  status: versionShape.fields.status,
  version: text,
  created_at: instant,
}

/** A module's origin, when that is a repository. */
const vcsRepoShape = struct({
  branch: text,
  identifier: text,
  display_identifier: text,
  oauth_token_id: text,
  tags: bool,
  /** Which part and which tags of it count; null where nobody said. */
  source_directory: optional(nullable(text)),
  tag_prefix: optional(nullable(text)),
  tags_regex: optional(nullable(text)),
  /** Provider and address of the connection when the module was made; null without one. */
  service_provider: optional(nullable(text)),
  http_url: optional(nullable(text)),
  /** The name of it in the provider's calls: a UUID; missing in old documents. */
  webhook: optional(text),
})

/** Where a module comes from, when that is a repository. */
export interface VcsRepo extends StoredOf<typeof vcsRepoShape> {}

/** Renders what a module tells of itself, by the attributes' names. */
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
  /** `mod-…` */
  id: text,
  /** The organization's name. */
  organization: text,
  versions: list(versionShape),
  vcs_repo: nullable(vcsRepoShape),
  /** Null where tests never were set up. */
  test_config: nullable(testConfigShape),
})

/** A module of an organization's private registry. */
export interface Module extends StoredOf<typeof moduleShape> {}

/** By `<organization>/<registry name>/<namespace>/<name>/<provider>`. */
export const modules = defineTable({
  service: 'platform',
  name: 'modules',
  shape: moduleShape,
  indexes: { byId: ({ id }) => id },
})

/** The names of a module in a path. */
export type ModuleName = Pick<
  Module,
  'organization' | 'registry_name' | 'namespace' | 'name' | 'provider'
>

/** The modules table's key. */
export function moduleKey(name: ModuleName): string {
  const { organization, registry_name, namespace, provider } = name
  return [organization, registry_name, namespace, name.name, provider].join('/')
}

/** Adds a module under a free name, or puts another state of it; part of a transaction. */
export function putModule(world: World, module: Module): Module {
  world.table(modules).put(moduleKey(module), module)
  return module
}

/** A module that has nothing published yet. */
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

/** The module of an id, if there is one. */
export function moduleWithId(world: World, id: string): Module | undefined {
  return world.table(modules).index('byId').get(id)
}

/** The modules whose keys begin alike: an organization's, a registry's, or those of one name. */
export function modulesUnder(world: World, ...names: readonly string[]): Module[] {
  return Array.from(world.table(modules).rows(names.map((name) => `${name}/`).join('')))
}

/** The module of a name, if there is one. */
export function moduleNamed(world: World, name: ModuleName): Module | undefined {
  return world.table(modules).get(moduleKey(name))
}

/** Takes a module away; part of a transaction. What belongs to it is taken away apart. */
export function dropModule(world: World, module: Module): void {
  world.table(modules).delete(moduleKey(module))
}
