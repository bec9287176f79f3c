import { posix } from 'node:path'
import { formatGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import type { Artifact, Template } from '../job/task-parts.ts'
import { failedChecks } from './errors.ts'
import { parseUintError } from './go-number.ts'
import { message } from './task-messages.ts'

/**
 * Returns true if a path, relative to a directory of the allocation, leads outside the allocation.
 */
export function escapesDirectory(directory: string, path: string): boolean {
  return !`${posix.join('/allocations/id', directory, path)}/`.startsWith('/allocations/id/')
}

/** Returns the errors of a template (behaviour/scheduler#validation, task). */
export function templateErrors(template: Template): readonly Message[] {
  const { SourcePath, EmbeddedTmpl, DestPath, Splay, Perms } = template
  const why = Perms === '' ? undefined : parseUintError(Perms, 8, 12)
  return [
    ...failedChecks(
      SourcePath === '' && EmbeddedTmpl === '' && message('template-source-missing'),
      DestPath === '' && message('template-destination-missing'),
      escapesDirectory('task', DestPath) && message('destination-escapes'),
    ),
    ...changeErrors(template),
    ...failedChecks(
      Splay < 0 && message('template-splay-negative'),
      why !== undefined && message('template-perms-invalid', { perms: quoteGo(Perms), why }),
    ),
    ...waitErrors(template),
  ]
}

function changeErrors(template: Template): readonly Message[] {
  const { ChangeMode, ChangeSignal, ChangeScript } = template
  if (ChangeMode === 'noop' || ChangeMode === 'restart') return []
  if (ChangeMode === 'signal') {
    return failedChecks(
      ChangeSignal === '' && message('template-signal-missing'),
      template.Envvars === true && message('template-signal-env'),
    )
  }
  if (ChangeMode !== 'script') return [message('template-change-mode-unknown')]
  if (!ChangeScript) return [message('template-script-missing')]
  return failedChecks(ChangeScript.Command === '' && message('template-script-path-missing'))
}

function waitErrors({ Wait }: Template): readonly Message[] {
  const { Min = null, Max = null } = Wait ?? {}
  if (Min === null || Max === null) return []
  const [least, most] = [formatGoDuration(Min), formatGoDuration(Max)]
  return failedChecks(Min > Max && message('template-wait-inverted', { least, most }))
}

/** Returns the errors of an artifact. */
export function artifactErrors(artifact: Artifact): readonly Message[] {
  const { GetterSource, GetterMode = '', GetterOptions, RelativeDest } = artifact
  const options = new Map(Object.entries(GetterOptions ?? {}))
  const checksum = options.get('checksum')
  return [
    ...failedChecks(
      GetterSource === '' && message('artifact-source-missing'),
      !['', 'any', 'file', 'dir'].includes(GetterMode) &&
        message('artifact-mode-unknown', { mode: quoteGo(GetterMode) }),
      escapesDirectory('task', RelativeDest) && message('destination-escapes'),
    ),
    ...(checksum === undefined ? [] : checksumErrors(checksum)),
  ]
}

/** Length of a checksum in bytes, by type. */
const checksumBytes: ReadonlyMap<string, number> = new Map([
  ['md5', 16],
  ['sha1', 20],
  ['sha256', 32],
  ['sha512', 64],
])

function checksumErrors(text: string): readonly Message[] {
  // Text with variables is known only when the task runs.
  if (/\$\{[a-zA-Z0-9_\-.]+\}/.test(text)) return []
  const checksum = text.trim()
  if (checksum === '') return [message('checksum-empty')]
  const [type = '', value, ...more] = checksum.split(':')
  if (value === undefined || more.length > 0) {
    return [message('checksum-form', { checksum: quoteGo(checksum) })]
  }
  const invalid = Array.from(value).find((character) => !/[0-9a-f]/i.test(character))
  if (invalid !== undefined) return [message('checksum-byte-invalid', { byte: goRune(invalid) })]
  if (value.length % 2 !== 0) return [message('checksum-length-odd')]
  const size = checksumBytes.get(type)
  if (size === undefined) return [message('checksum-type-unknown', { type })]
  return failedChecks(value.length !== 2 * size && message('checksum-length', { type, value }))
}

/** Formats a character like Go's `%#U`. */
function goRune(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `U+${code} '${character}'`
}
