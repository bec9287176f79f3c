import { formatGoDuration, parseDuration } from '../../../state/go/duration.ts'
import { Refusal } from '../../../state/kernel/refusal.ts'
import { any, bool, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, withDefault } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { message as pkiMessage, refuse } from '../../../state/secrets/pki/messages.ts'
import {
  type AutoTidy,
  autoTidy,
  autoTidyMembers,
  checkTidyBuffers,
  runTidy,
  type TidyStatus,
  tidyKinds,
  tidyStatus,
  writeAutoTidy,
} from '../../../state/secrets/pki/tidy.ts'
import { dataOutcome, outcomeWithWarning, type SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped, envelopeOf, warningEnvelope } from '../envelope/schemas.ts'
import { duration, flag } from '../fields/field-kinds.ts'
import { message } from '../messages.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-tidy' })

/**
 * Creates a field for each kind of data that tidying can remove.
 *
 * @param field creates the field from its description
 */
const kindFields = <F>(field: (description: string) => F) => ({
  tidy_cert_store: field('Whether to remove expired certificates'),
  tidy_revoked_certs: field('Whether to remove revocations of expired certificates'),
  tidy_revoked_cert_issuer_associations: field('Has no effect'),
  tidy_expired_issuers: field('Whether to remove expired issuers, except the default issuer'),
  tidy_move_legacy_ca_bundle: field('Has no effect'),
  tidy_revocation_queue: field('Has no effect'),
  tidy_cross_cluster_revoked_certs: field('Has no effect'),
  tidy_acme: field('Has no effect'),
})

const bufferField = (description: string, hours: number) =>
  withDefault(duration(description), hours * 3600)

const tidyFields = {
  ...kindFields(flag),
  tidy_revocation_list: flag('Old name of `tidy_revoked_certs`'),
  safety_buffer: bufferField('Time after their end at which certificates are removed', 72),
  issuer_safety_buffer: bufferField('Time after their end at which issuers are removed', 365 * 24),
  revocation_queue_safety_buffer: bufferField('Stored and returned, but without effect', 48),
  acme_account_safety_buffer: bufferField('Stored and returned, but without effect', 30 * 24),
  pause_duration: withDefault(described(text, 'Stored and returned, but without effect'), '0s'),
} as const

/**
 * Formats the duration in `pause_duration` as Go does; `0s` for an empty text. Throws an `invalid`
 * refusal for an invalid or negative duration.
 */
function readPause(text: string, rule: 'pki-tidy-pause' | 'pki-auto-tidy-pause'): string {
  if (text === '') return '0s'
  let pause: bigint | number
  try {
    pause = parseDuration(text)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw refuse(rule, { why: error.reason })
  }
  if (pause < 0) throw refuse('pki-tidy-pause-negative')
  return formatGoDuration(pause)
}

const countMembers = [
  'acme_account_deleted_count',
  'acme_account_revoked_count',
  'acme_orders_deleted_count',
  'cross_revoked_cert_deleted_count',
  'revocation_queue_deleted_count',
  'total_acme_account_count',
] as const

/**
 * Members of the status that are null before the first run. A member stays null if no run sets it.
 */
const nullBeforeFirstRun = [
  ...countMembers,
  ...tidyKinds,
  'acme_account_safety_buffer',
  'cert_store_deleted_count',
  'current_cert_store_count',
  'current_revoked_cert_count',
  'error',
  'issuer_safety_buffer',
  'message',
  'missing_issuer_cert_count',
  'pause_duration',
  'revoked_cert_deleted_count',
  'safety_buffer',
  'time_finished',
  'time_started',
] as const

function statusView(world: World, mount: Mount): SecretsOutcome {
  const status = tidyStatus(world, mount)
  return dataOutcome({
    ...Object.fromEntries(nullBeforeFirstRun.map((name) => [name, null])),
    internal_backend_uuid: mount.uuid,
    state: 'Inactive',
    ...(status !== undefined && finishedView(status)),
  })
}

function finishedView({ settings, time_started, time_finished, wal: _, ...found }: TidyStatus) {
  const finished = formatTimestamp(time_finished)
  return {
    ...Object.fromEntries(countMembers.map((name) => [name, 0])),
    ...settings,
    ...found,
    time_started: formatTimestamp(time_started),
    time_finished: finished,
    last_auto_tidy_finished: finished,
    state: 'Finished',
  }
}

function autoTidyView({ wal: _, ...view }: AutoTidy): SecretsOutcome {
  return dataOutcome(view)
}

const autoTidyReply = enveloped(autoTidyMembers)

const setting = (description: string) => described(bool, description)

const autoTidyFields = {
  ...kindFields(setting),
  maintain_stored_certificate_counts: setting('Stored and returned, but without effect'),
  publish_stored_certificate_count_metrics: setting('Stored and returned, but without effect'),
  interval_duration: duration('Time between two automatic runs; 0 means never'),
  safety_buffer: duration('Time after their end at which certificates are removed'),
  issuer_safety_buffer: duration('Time after their end at which issuers are removed'),
  revocation_queue_safety_buffer: duration('Stored and returned, but without effect'),
  acme_account_safety_buffer: duration('Stored and returned, but without effect'),
  pause_duration: described(text, 'Stored and returned, but without effect'),
  enabled: setting('Whether tidy runs automatically'),
} as const

/**
 * Operations that remove expired certificates, issuers and other data, either at once or regularly
 * by the world's clock, and operations that return the status of the last run.
 */
export const tidyOperations = [
  operation.write('pkiTidy', 'tidy', {
    summary: 'Remove certificates, revocations and issuers that expired some time ago.',
    body: tidyFields,
    reply: { 202: warningEnvelope },
    run({ world, mount, fields }) {
      checkTidyBuffers(fields)
      const pause_duration = readPause(fields.pause_duration, 'pki-tidy-pause')
      const tidy_revoked_certs = fields.tidy_revoked_certs || fields.tidy_revocation_list
      const settings = { ...fields, pause_duration, tidy_revoked_certs }
      runTidy(world, mount, settings)
      const isAnyKindEnabled = tidyKinds.some((kind) => settings[kind])
      const warning = isAnyKindEnabled
        ? message('tidy-started')
        : pkiMessage('pki-tidy-nothing', { names: tidyKinds.join(' / ') })
      return { kind: 'envelope', status: 202, warnings: [warning] }
    },
  }),
  operation.write('pkiCancelTidy', 'tidy-cancel', {
    summary: 'Cancel a tidy run; none takes long.',
    reply: { 200: warningEnvelope },
    run: () => outcomeWithWarning(pkiMessage('pki-tidy-not-running')),
  }),
  operation.read('pkiReadTidyStatus', 'tidy-status', {
    summary: 'Read the settings and the counts of the last run.',
    reply: { 200: envelopeOf(map(any)) },
    run: ({ world, mount }) => statusView(world, mount),
  }),
  operation.read('pkiReadAutoTidy', 'config/auto-tidy', {
    summary: 'Read the settings of tidying by the clock.',
    reply: autoTidyReply,
    run: ({ world, mount }) => autoTidyView(autoTidy(world, mount)),
  }),
  operation.write('pkiWriteAutoTidy', 'config/auto-tidy', {
    summary: 'Change the given settings of tidying by the clock.',
    body: autoTidyFields,
    reply: autoTidyReply,
    run({ world, mount, fields }) {
      const { pause_duration: pause } = fields
      const pauseMember = pause !== undefined && {
        pause_duration: readPause(pause, 'pki-auto-tidy-pause'),
      }
      return autoTidyView(writeAutoTidy(world, mount, { ...fields, ...pauseMember }))
    },
  }),
]
