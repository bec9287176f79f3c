import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { newId } from '../ids.ts'

/** How tests of a module are set up; null where they never were (section 5.2, test-config). */
export interface TestConfig {
  /** `tc-…` */
  readonly id: string
  readonly tests_enabled: boolean
  readonly agent_execution_mode: 'remote' | 'agent'
  readonly agent_pool_id: string | null
}

/** A published version of a module. */
export interface ModuleVersion {
  /** `modver-…` */
  readonly id: string
  readonly version: string
  readonly status: 'pending' | 'ok'
  readonly source: string
  readonly created_at: number
}

/** Where a module comes from, when that is a repository. */
export interface VcsRepo {
  readonly identifier: string
  readonly display_identifier: string
  readonly branch: string
  readonly oauth_token_id: string
  readonly tags: boolean
}

/** A module of an organization's private registry. Instants in milliseconds since 1970. */
export interface Module {
  /** `mod-…` */
  readonly id: string
  /** The organization's name. */
  readonly organization: string
  readonly registry_name: 'private' | 'public'
  readonly namespace: string
  readonly name: string
  readonly provider: string
  readonly status: 'pending' | 'no_version_tags' | 'setup_failed' | 'setup_complete'
  readonly versions: readonly ModuleVersion[]
  readonly no_code: boolean
  readonly vcs_repo: VcsRepo | null
  readonly test_config: TestConfig | null
  readonly created_at: number
  readonly updated_at: number
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const instant = { type: 'integer' } as const

/** By `<organization>/<registry name>/<namespace>/<name>/<provider>`. */
export const modules = defineTable<Module>()({
  service: 'platform',
  name: 'modules',
  indexes: { byId: ({ id }) => id },
  schema: {
    type: 'object',
    required: [
      'id',
      'organization',
      'registry_name',
      'namespace',
      'name',
      'provider',
      'status',
      'versions',
      'no_code',
      'vcs_repo',
      'test_config',
      'created_at',
      'updated_at',
    ],
    additionalProperties: false,
    properties: {
      id: text,
      organization: text,
      registry_name: { enum: ['private', 'public'] },
      namespace: text,
      name: text,
      provider: text,
      status: { enum: ['pending', 'no_version_tags', 'setup_failed', 'setup_complete'] },
      versions: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'version', 'status', 'source', 'created_at'],
          additionalProperties: false,
          properties: {
            id: text,
            version: text,
            status: { enum: ['pending', 'ok'] },
            source: text,
            created_at: instant,
          },
        },
      },
      no_code: flag,
      vcs_repo: {
        type: ['object', 'null'],
        required: ['identifier', 'display_identifier', 'branch', 'oauth_token_id', 'tags'],
        additionalProperties: false,
        properties: {
          identifier: text,
          display_identifier: text,
          branch: text,
          oauth_token_id: text,
          tags: flag,
        },
      },
      test_config: {
        type: ['object', 'null'],
        required: ['id', 'tests_enabled', 'agent_execution_mode', 'agent_pool_id'],
        additionalProperties: false,
        properties: {
          id: text,
          tests_enabled: flag,
          agent_execution_mode: { enum: ['remote', 'agent'] },
          agent_pool_id: { type: ['string', 'null'] },
        },
      },
      created_at: instant,
      updated_at: instant,
    },
  },
})

/** What names a module in a path. */
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
export function newModule(world: World, name: ModuleName, more: Partial<Module> = {}): Module {
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
    ...more,
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
