import { floatOf, intOf, word } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import { rateLimit } from '../../../state/platform/rate-limit.ts'
import type { Action } from '../../faults/declare/fault-shapes.ts'
import { answers, definePreset, noParameters, type Preset } from '../../faults/declare/preset.ts'
import type { RequestRecord } from '../../http/journal-hooks/request-record.ts'
import { pathOf } from '../../journal/record-values.ts'
import { refusalAction } from './refusal-action.ts'
import { runPresets } from './run-presets.ts'

const outputsPath =
  /^\/api\/v2\/(workspaces\/[^/]+\/current-state-version-outputs|state-versions\/[^/]+\/outputs)$/
const statesPath = /^\/api\/v2\/workspaces\/[^/]+\/state-versions$/

/** Rule that refuses a new state version, for each value of the preset's parameter. */
const refusedBy = { lock: 'state-needs-lock', serial: 'state-serial-old' } as const

/** Presets that fail requests about the states of workspaces. */
const statePresets: readonly Preset[] = [
  definePreset({
    name: 'platform-state-busy',
    summary:
      'The state of a workspace is being processed: 503 for the first requests for its outputs.',
    service: 'platform',
    parameters: struct({ answers: answers(2) }),
    source: 'behaviour/platform#state-outputs',
    effect: {
      appliesTo: (record) => record.method === 'GET' && outputsPath.test(pathOf(record)),
    },
    apply: ({ parameters: { answers: first } }) => ({
      faults: [{ when: { first }, action: refusalAction('outputs-unknown') }],
    }),
  }),
  definePreset({
    name: 'platform-state-refused',
    summary:
      'New states are refused: 409 as for a workspace that is not locked, or 412 (`serial`) as for a serial that is too low.',
    service: 'platform',
    parameters: struct({
      by: withDefault(described(word('lock', 'serial'), 'Reason of the refusal'), 'lock'),
    }),
    source: 'behaviour/platform#state-uploads',
    effect: {
      appliesTo: (record) => record.method === 'POST' && statesPath.test(pathOf(record)),
    },
    apply: ({ parameters: { by } }) => ({
      faults: [{ action: refusalAction(refusedBy[by]) }],
    }),
  }),
]

const service = 'platform'

/** Prefixes of paths that are reported as absent to callers without access. */
const hiddenPrefixes = ['/api/v2/admin/', '/api/v2/organizations/']

/**
 * Returns an action that replies with an empty list of organizations, without `links` and `meta`,
 * as for a caller who belongs to no organization.
 */
function emptyList(action: Action, { responseHeaders }: RequestRecord): Action {
  const headers = { 'content-type': String(responseHeaders['content-type']) }
  return { ...action, body: JSON.stringify({ data: [] }), headers }
}

export const platformPresets: readonly Preset[] = [
  definePreset({
    name: 'platform-rate-limited',
    summary:
      'The caller exceeds the rate limit: 429 for the first requests, with `X-RateLimit-Reset` and `Retry-After`.',
    service,
    parameters: struct({
      answers: answers(5),
      reset: withDefault(
        described(floatOf({ minimum: 0 }), 'Seconds until requests are accepted again'),
        1,
      ),
    }),
    source: 'behaviour/platform#rate-limit',
    effect: {
      appliesTo: (record) => pathOf(record).startsWith('/api/v2/'),
      complete: (action, { world }) => ({
        ...action,
        headers: { 'x-ratelimit-limit': String(rateLimit(world).limit), ...action.headers },
      }),
    },
    apply: ({ parameters: { answers: first, reset } }) => ({
      faults: [
        {
          when: { first },
          action: {
            status: 429,
            headers: {
              'x-ratelimit-remaining': '0',
              'x-ratelimit-reset': reset.toFixed(3),
              'retry-after': String(Math.ceil(reset)),
            },
          },
        },
      ],
    }),
  }),
  definePreset({
    name: 'platform-hidden',
    summary:
      'The caller has no access: every admin route and every organization is 404, which the platform sends instead of 403, and the list of organizations is empty.',
    service,
    parameters: noParameters,
    source: 'behaviour/platform#errors',
    effect: {
      appliesTo: (record) =>
        record.status === 200 && record.method === 'GET'
          ? pathOf(record) === '/api/v2/organizations'
          : hiddenPrefixes.some((prefix) => pathOf(record).startsWith(prefix)),
      complete: (action, record) => (action.status === 404 ? action : emptyList(action, record)),
    },
    apply: () => ({
      faults: [{ action: { status: 404 } }, { phase: 'afterCommit', action: { status: 200 } }],
    }),
  }),
  definePreset({
    name: 'platform-upload-refused',
    summary: 'Uploads are too large: 413 for every upload, or for those above the limit `bytes`.',
    service,
    parameters: struct({
      bytes: withDefault(
        described(intOf({ minimum: 0 }), 'Largest accepted upload in bytes; 0 accepts none'),
        0,
      ),
    }),
    source: 'behaviour/platform#uploads',
    apply: ({ parameters }) => ({ options: { platform: { maxUploadBytes: parameters.bytes } } }),
  }),
  definePreset({
    name: 'platform-smtp-down',
    summary:
      'The mail server rejects test messages: PATCH of the SMTP settings returns 500, 504 (`timed-out`) or 401 (`rejected`), and changes nothing.',
    service,
    parameters: struct({
      how: withDefault(
        described(word('failed', 'timed-out', 'rejected'), 'Result of sending'),
        'failed',
      ),
    }),
    source: 'behaviour/platform#api-settings; behaviour/platform#settings',
    apply: ({ parameters }) => ({ options: { platform: { mailFault: parameters.how } } }),
  }),
  ...statePresets,
  ...runPresets,
]
