import { MILLISECOND, parseGoDuration } from '../go/duration.ts'
import { defineOptions, option } from '../kernel/options.ts'
import { bool, name, textOf, uint, word } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import type { Stored } from '../kernel/shape/values.ts'
import type { World } from '../kernel/world.ts'

/** World options of the service mesh (DESIGN section 6; 3a-mesh-decisions.md). */
const optionShape = struct({
  /** Section 5. */
  aclEnabled: option(bool, false, 'Enforce ACLs'),
  /** Section 5. */
  defaultPolicy: option(word('allow', 'deny'), 'allow', 'What holds where no rule speaks'),
  initialManagementToken: option(
    name,
    'mesh-management-token',
    "The secret of a fresh world's management token",
  ),
  bootstrap: option(
    word('done', 'open'),
    'done',
    'Whether ACLs of a fresh world are bootstrapped already',
  ),
  edition: option(word('enterprise', 'community'), 'enterprise', 'Which edition is played'),
  version: option(
    textOf({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+([-+].*)?$' }),
    '1.18.0+ent',
    'Which version is played; namespaces came with 1.7.0',
  ),
  /** Section 6. */
  namespaceRemovalDelay: option(
    textOf({ pattern: '^(manual|0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$' }),
    '500ms',
    "How long after its deletion a namespace's data goes: a duration, or manual",
  ),
  /** Section 4. */
  waitJitter: option(bool, true, 'Add up to a sixteenth to the time that blocking reads wait'),
  /** Section 4. */
  staleLastContact: option(uint, 3, 'The X-Mesh-LastContact of stale reads, in milliseconds'),
  /** Section 1. */
  datacenter: option(name, 'dc1', 'The only datacenter that dc may name'),
})
export interface MeshOptions extends Stored<typeof optionShape> {}

/** The options with their defaults, as fixtures and the control plane set them. */
export const meshOptions = defineOptions('mesh', optionShape)

/** The options of a world's mesh. */
export function optionsOf(world: World): MeshOptions {
  return world.options(meshOptions)
}

/** Tells whether edition and version have namespaces (3-mesh-and-scheduler.md, Limits). */
export function hasNamespaces(world: World): boolean {
  const { edition, version } = optionsOf(world)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return edition === 'enterprise' && (major > 1 || (major === 1 && minor >= 7))
}

/** A Go duration in whole milliseconds, rounded up. */
export function milliseconds(duration: string): number {
  return Math.ceil(parseGoDuration(duration) / MILLISECOND)
}
