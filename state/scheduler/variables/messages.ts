import { defineMessages, refusals } from '../../kernel/refusal.ts'
import type { SchedulerRefusalDetail } from '../messages.ts'

/**
 * Status and index of refusals that, in the reference, come from the server behind the HTTP layer.
 */
const rpcRefusal = { status: 400, index: 0 } as const satisfies SchedulerRefusalDetail

/** Messages about variables (behaviour/scheduler#variables). */
export const { table, refuse } = defineMessages({
  'variable-not-found': { kind: 'absent', text: 'variable not found' },
  ...refusals('invalid', {
    'variable-path-missing': 'missing variable path',
    'variable-items-missing': 'variable missing required Items object',
    'variable-cas-unreadable': 'can not parse cas: strconv.ParseUint: parsing {value}: {why}',
  }),
  ...refusals(
    'invalid',
    {
      'variable-namespace-wildcard': 'RPC Error:: 400,can not target wildcard ("*")namespace',
      'variable-too-large': 'RPC Error:: 400,variables are limited to 64KiB in total size',
      'variable-path-invalid': 'RPC Error:: 400,invalid path {path}',
      'variable-path-top':
        'RPC Error:: 400,"{word}" is a reserved top-level directory path, but you may write variables to "{word}/jobs", "{word}/job-templates", or below',
      'variable-path-templates':
        'RPC Error:: 400,"{word}/job-templates" is a reserved directory path, but you may write variables at the level below it, for example, "{word}/job-templates/template-name"',
      'variable-path-reserved':
        'RPC Error:: 400,only paths at "{word}/jobs" or "{word}/job-templates" and below are valid paths under the top-level "{word}" directory',
    },
    rpcRefusal,
  ),
  'variable-locks': {
    kind: 'unsupported',
    text: 'variable locks are not played',
    detail: { status: 501 },
  },
})
