import { defineMessages } from '../../kernel/refusal.ts'
import type { SchedulerRefusalDetail } from '../messages.ts'

/** Refusals by the server behind the HTTP layer carry its code and the index 0. */
const rpcRefusal = { status: 400, index: 0 } as const satisfies SchedulerRefusalDetail

/** Messages about variables (behaviour/scheduler#variables). */
export const {
  table: variableMessages,
  message,
  refuse,
} = defineMessages({
  'variable-not-found': { kind: 'absent', text: 'variable not found' },
  'variable-path-missing': { kind: 'invalid', text: 'missing variable path' },
  'variable-items-missing': { kind: 'invalid', text: 'variable missing required Items object' },
  'variable-cas-unreadable': {
    kind: 'invalid',
    text: 'can not parse cas: strconv.ParseUint: parsing {value}: {why}',
  },
  'variable-namespace-wildcard': {
    kind: 'invalid',
    text: 'RPC Error:: 400,can not target wildcard ("*")namespace',
    detail: rpcRefusal,
  },
  'variable-too-large': {
    kind: 'invalid',
    text: 'RPC Error:: 400,variables are limited to 64KiB in total size',
    detail: rpcRefusal,
  },
  'variable-path-invalid': {
    kind: 'invalid',
    text: 'RPC Error:: 400,invalid path {path}',
    detail: rpcRefusal,
  },
  'variable-path-top': {
    kind: 'invalid',
    text: 'RPC Error:: 400,"{word}" is a reserved top-level directory path, but you may write variables to "{word}/jobs", "{word}/job-templates", or below',
    detail: rpcRefusal,
  },
  'variable-path-templates': {
    kind: 'invalid',
    text: 'RPC Error:: 400,"{word}/job-templates" is a reserved directory path, but you may write variables at the level below it, for example, "{word}/job-templates/template-name"',
    detail: rpcRefusal,
  },
  'variable-path-reserved': {
    kind: 'invalid',
    text: 'RPC Error:: 400,only paths at "{word}/jobs" or "{word}/job-templates" and below are valid paths under the top-level "{word}" directory',
    detail: rpcRefusal,
  },
  'variable-locks': {
    kind: 'unsupported',
    text: 'variable locks are not played',
    detail: { status: 501 },
  },
})
