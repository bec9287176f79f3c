import { posix } from 'node:path'
import { formatGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import { isJsonObject } from '../../json/value.ts'
import type { Artifact, Template } from '../job/task-shape.ts'
import { failing } from './errors.ts'
import { parseUintError } from './go-number.ts'

/** Whether a path leads out of the allocation's directory, seen from a directory below it. */
export function escapes(directory: string, path: string): boolean {
  return !`${posix.join('/allocations/id', directory, path)}/`.startsWith('/allocations/id/')
}

const escapeText = 'destination escapes allocation directory'

/** What is wrong with a template (3b-scheduler-decisions.md section 5, task). */
export function templateErrors(template: Template): readonly string[] {
  const { SourcePath, EmbeddedTmpl, DestPath, Splay, Perms } = template
  const perms = Perms === '' ? undefined : parseUintError(Perms, 8, 12)
  return [
    ...failing(
      [
        SourcePath === '' && EmbeddedTmpl === '',
        'Must specify a source path or have an embedded template',
      ],
      [DestPath === '', 'Must specify a destination for the template'],
      [escapes('task', DestPath), escapeText],
    ),
    ...changeErrors(template),
    ...failing(
      [Splay < 0, 'Must specify positive splay value'],
      [perms !== undefined, `Failed to parse ${quoteGo(Perms)} as octal: ${perms}`],
    ),
    ...waitErrors(template),
  ]
}

function changeErrors(template: Template): readonly string[] {
  const { ChangeMode, ChangeSignal, ChangeScript } = template
  if (ChangeMode === 'noop' || ChangeMode === 'restart') return []
  if (ChangeMode === 'signal') {
    return failing(
      [ChangeSignal === '', 'Must specify signal value when change mode is signal'],
      [template.Envvars === true, 'cannot use signals with env var templates'],
    )
  }
  if (ChangeMode !== 'script') {
    return ['Invalid change mode. Must be one of the following: noop, signal, script, restart']
  }
  if (!isJsonObject(ChangeScript)) {
    return ['must specify change script configuration value when change mode is script']
  }
  const { Command } = ChangeScript
  return failing([
    Command === undefined || Command === null || Command === '',
    'must specify script path value when change mode is script',
  ])
}

function waitErrors({ Wait }: Template): readonly string[] {
  const { Min = null, Max = null } = Wait ?? {}
  if (Min === null || Max === null) return []
  return failing([
    Min > Max,
    `wait min ${formatGoDuration(Min)} is greater than max ${formatGoDuration(Max)}`,
  ])
}

/** What is wrong with a file to fetch. */
export function artifactErrors(artifact: Artifact): readonly string[] {
  const { GetterSource, GetterMode = '', GetterOptions, RelativeDest } = artifact
  const options = new Map(Object.entries(GetterOptions ?? {}))
  const checksum = options.get('checksum')
  return [
    ...failing(
      [GetterSource === '', 'source must be specified'],
      [
        !['', 'any', 'file', 'dir'].includes(GetterMode),
        `invalid artifact mode ${quoteGo(GetterMode)}; must be one of: any, file, dir`,
      ],
      [escapes('task', RelativeDest), escapeText],
    ),
    ...(checksum === undefined ? [] : checksumErrors(checksum)),
  ]
}

/** How many bytes a sum of a type has. */
const sums: ReadonlyMap<string, number> = new Map([
  ['md5', 16],
  ['sha1', 20],
  ['sha256', 32],
  ['sha512', 64],
])

function checksumErrors(written: string): readonly string[] {
  // What refers to the environment is known only where the task runs.
  if (/\$\{[a-zA-Z0-9_\-.]+\}/.test(written)) return []
  const checksum = written.trim()
  if (checksum === '') return ['checksum value cannot be empty']
  const [type = '', value, ...more] = checksum.split(':')
  if (value === undefined || more.length > 0) {
    return [`checksum must be given as "type:value"; got ${quoteGo(checksum)}`]
  }
  const wrong = Array.from(value).find((character) => !/[0-9a-f]/i.test(character))
  if (wrong !== undefined) return [`invalid checksum: encoding/hex: invalid byte: ${goRune(wrong)}`]
  if (value.length % 2 !== 0) return ['invalid checksum: encoding/hex: odd length hex string']
  const size = sums.get(type)
  if (size === undefined) return [`unsupported checksum type: ${type}`]
  return failing([value.length !== 2 * size, `invalid ${type} checksum: ${value}`])
}

/** A character as Go's `%#U` writes it. */
function goRune(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `U+${code} '${character}'`
}
