import { bool, instant, list, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { isBlank, type TextInput, updatedText } from '../names.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { Violations } from '../violations.ts'
import { workspaces } from '../workspaces/workspaces.ts'

/** Archive of a tool version for one platform. */
export const toolArchive = struct({ url: text, sha: text, os: text, arch: text })

export const toolVersionAttributes = {
  version: text,
  url: text,
  sha: text,
  official: bool,
  enabled: bool,
  beta: bool,
  deprecated: bool,
  deprecated_reason: nullable(text),
  archs: list(toolArchive),
  created_at: instant,
}

const versionShape = struct({
  ...toolVersionAttributes,
  /** Id of the form `tool-…`. */
  id: text,
  kind: word('infra', 'opa', 'sentinel'),
})

/**
 * A version of a tool for workspaces or policies, as site admins configure it
 * (behaviour/platform#tool-versions).
 */
export interface ToolVersion extends StoredOf<typeof versionShape> {}

export type ToolKind = ToolVersion['kind']

/** Tool versions by `<tool>/<number>`, in creation order. */
export const toolVersions = platformTable('tool-versions', versionShape, {
  secrets: 'none',
  indexes: { byId: ({ id }) => id },
})

const rows = ownedRows(toolVersions, 'kind')

export function toolVersionsOf(world: World, kind: ToolKind): ToolVersion[] {
  return rows.of(world, kind).toReversed()
}

/**
 * Returns a version of a tool. Returns undefined if the id is unknown or belongs to a version of
 * another tool.
 */
export function toolVersionWithId(
  world: World,
  kind: ToolKind,
  id: string,
): ToolVersion | undefined {
  const version = rows.withId(world, id)
  return version?.kind === kind ? version : undefined
}

interface ToolVersionInput
  extends TextInput<'version' | 'url' | 'sha' | 'deprecated_reason'>,
    Partial<Pick<ToolVersion, 'official' | 'enabled' | 'beta' | 'deprecated'>> {
  readonly archs?: ToolVersion['archs']
}

/**
 * Adds a tool version. Throws 422 if the version number is blank or taken, or if the URL or the
 * checksum is missing and the request contains no archives.
 */
export function createToolVersion(
  world: World,
  kind: ToolKind,
  input: ToolVersionInput,
): ToolVersion {
  const id = newId(world, 'tool')
  return store(world, input, {
    id,
    kind,
    version: '',
    url: '',
    sha: '',
    official: false,
    enabled: true,
    beta: false,
    deprecated: false,
    deprecated_reason: null,
    archs: [],
    created_at: world.clock.now(),
  })
}

/** Changes the given members of a tool version. Throws like `createToolVersion`. */
export function changeToolVersion(
  world: World,
  before: ToolVersion,
  input: ToolVersionInput,
): ToolVersion {
  return store(world, input, before)
}

/** Platform of the archive that the members `url` and `sha` of a tool version describe. */
const mainPlatform = { os: 'linux', arch: 'amd64' }

function isMainPlatform({ os, arch }: ToolVersion['archs'][number]): boolean {
  return os === mainPlatform.os && arch === mainPlatform.arch
}

/**
 * Returns the archives, the URL and the checksum after a change. Archives in the request replace
 * all existing archives. If the request contains no archives but a `url` or `sha`, only the archive
 * of the main platform remains. No archive remains if `url` or `sha` is then blank.
 */
function archivesAfter(
  { url, sha, archs }: ToolVersionInput,
  before: ToolVersion,
): Pick<ToolVersion, 'url' | 'sha' | 'archs'> {
  if (archs !== undefined && archs.length > 0) {
    const mainArchive = archs.find(isMainPlatform)
    return { archs, url: mainArchive?.url ?? '', sha: mainArchive?.sha ?? '' }
  }
  const mainArchive = { url: updatedText(url, before.url), sha: updatedText(sha, before.sha) }
  if (url === undefined && sha === undefined) return { ...mainArchive, archs: before.archs }
  const isComplete = !isBlank(mainArchive.url) && !isBlank(mainArchive.sha)
  return { ...mainArchive, archs: isComplete ? [{ ...mainArchive, ...mainPlatform }] : [] }
}

function store(world: World, input: ToolVersionInput, before: ToolVersion): ToolVersion {
  const after = {
    ...before,
    ...input,
    version: updatedText(input.version, before.version),
    deprecated_reason: input.deprecated_reason || before.deprecated_reason,
    ...archivesAfter(input, before),
  }
  const violations = new Violations()
  const others = rows.of(world, before.kind).filter(({ id }) => id !== before.id)
  if (isBlank(after.version)) violations.add('version', 'blank')
  else if (others.some(({ version }) => version === after.version)) {
    violations.add('version', 'taken')
  }
  // If `archs` is not empty, `url` and `sha` of the main platform may be missing.
  if (after.archs.length === 0) {
    if (isBlank(after.url)) violations.add('url', 'blank')
    if (isBlank(after.sha)) violations.add('sha', 'blank')
  }
  violations.check()
  return world.write(() => rows.put(world, after))
}

/**
 * Returns the number of workspaces that use a tool version. Returns 0 for versions of all tools
 * except `infra`.
 */
export function usageOf(world: World, { kind, version }: ToolVersion): number {
  if (kind !== 'infra') return 0
  const all = Array.from(world.table(workspaces).rows())
  return all.filter(({ infra_version }) => infra_version === version).length
}

/** Deletes a tool version. Throws 422 if the version is official or used by a workspace. */
export function deleteToolVersion(world: World, version: ToolVersion): void {
  if (version.official) throw refuse('official-version-stays')
  if (usageOf(world, version) > 0) throw refuse('version-in-use')
  world.write(() => rows.drop(world, version))
}
