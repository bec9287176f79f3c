import { MILLISECOND, parseGoDuration } from '../go/duration.ts'
import type { OptionsDefinition } from '../kernel/options.ts'
import type { World } from '../kernel/world.ts'

/** World options of the service mesh (DESIGN section 6; 3a-mesh-decisions.md). */
export interface MeshOptions {
  /** Enforce ACLs (section 5). */
  readonly aclEnabled: boolean
  /** What holds where no rule speaks (section 5). */
  readonly defaultPolicy: 'allow' | 'deny'
  /** The secret of a fresh world's management token. */
  readonly initialManagementToken: string
  /** Whether ACLs of a fresh world are bootstrapped already. */
  readonly bootstrap: 'done' | 'open'
  readonly edition: 'enterprise' | 'community'
  /** Namespaces came with 1.7.0. */
  readonly version: string
  /** How long after its deletion a namespace's data goes: a duration, or `manual` (section 6). */
  readonly namespaceRemovalDelay: string
  /** Add up to a sixteenth to the time that blocking reads wait (section 4). */
  readonly waitJitter: boolean
  /** The `X-Mesh-LastContact` of stale reads, in milliseconds (section 4). */
  readonly staleLastContact: number
  /** The only datacenter that `?dc=` may name (section 1). */
  readonly datacenter: string
}

const flag = (description: string) => ({ type: 'boolean', description })
const text = (description: string) => ({ type: 'string', minLength: 1, description })

/** The options with their defaults. */
export const meshOptions: OptionsDefinition<MeshOptions> = {
  service: 'mesh',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      aclEnabled: flag('Enforce ACLs'),
      defaultPolicy: { enum: ['allow', 'deny'], description: 'What holds where no rule speaks' },
      initialManagementToken: text("The secret of a fresh world's management token"),
      bootstrap: {
        enum: ['done', 'open'],
        description: 'Whether ACLs of a fresh world are bootstrapped already',
      },
      edition: { enum: ['enterprise', 'community'], description: 'Which edition is played' },
      version: {
        type: 'string',
        pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+([-+].*)?$',
        description: 'Which version is played; namespaces came with 1.7.0',
      },
      namespaceRemovalDelay: {
        type: 'string',
        pattern: '^(manual|0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$',
        description: "How long after its deletion a namespace's data goes: a duration, or manual",
      },
      waitJitter: flag('Add up to a sixteenth to the time that blocking reads wait'),
      staleLastContact: {
        type: 'integer',
        minimum: 0,
        description: 'The X-Mesh-LastContact of stale reads, in milliseconds',
      },
      datacenter: text('The only datacenter that dc may name'),
    },
  },
  defaults: {
    aclEnabled: false,
    defaultPolicy: 'allow',
    initialManagementToken: 'mesh-management-token',
    bootstrap: 'done',
    edition: 'enterprise',
    version: '1.18.0+ent',
    namespaceRemovalDelay: '500ms',
    waitJitter: true,
    staleLastContact: 3,
    datacenter: 'dc1',
  },
}

/** The options of a world's mesh. */
export function optionsOf(world: World): MeshOptions {
  return world.options(meshOptions)
}

/** Whether edition and version have namespaces (3-mesh-and-scheduler.md, Limits). */
export function hasNamespaces(world: World): boolean {
  const { edition, version } = optionsOf(world)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return edition === 'enterprise' && (major > 1 || (major === 1 && minor >= 7))
}

/** A Go duration in whole milliseconds, rounded up. */
export function milliseconds(duration: string): number {
  return Math.ceil(parseGoDuration(duration) / MILLISECOND)
}
