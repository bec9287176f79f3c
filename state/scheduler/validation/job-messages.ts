import { defineMessages, messageTexts } from '../../kernel/refusal.ts'

/** Messages about jobs and their launches (behaviour/scheduler#validation). */
export const { table: jobMessages, message } = defineMessages(
  messageTexts({
    'namespace-nonexistent': 'job {job} is in nonexistent namespace {namespace}',
    'node-pool-nonexistent': 'job {job} is in nonexistent node pool {pool}',
    'job-type-core': 'job type cannot be core',
    'job-payload-sent': "job can't be submitted with a payload, only dispatched",
    'job-priority-out-of-range': 'job priority must be between [{low}, {high}]',
    'job-count-too-high': 'total count was greater than configured job_max_count: {count} > {most}',
    'job-region-missing': 'Missing job region',
    'job-id-missing': 'Missing job ID',
    'job-id-space': 'Job ID contains a space',
    'job-id-null': 'Job ID contains a null character',
    'job-name-missing': 'Missing job name',
    'job-name-null': 'Job Name contains a null character',
    'job-type-missing': 'Missing job type',
    'job-type-unknown': 'Invalid job type: {type}',
    'job-datacenter-empty': 'Job datacenter must be non-empty string',
    'job-groups-missing': 'Missing job task groups',
    'group-invalid': 'Task group {name} validation failed: {errors}',
    'job-group-unnamed': 'Job task group {at} missing name',
    'job-group-again': "Job task group {at} redefines '{name}' from group {first}",
    'stop-after-disconnect-type':
      'stop_after_client_disconnect can only be set in batch and service jobs',
    'stop-after-disconnect-negative': 'stop_after_client_disconnect must be a positive value',
    // The reference has this spelling.
    'disconnect-without-rescheduling':
      'max_client_disconnect and prevent_reschedule_on_lost cannot be enabled when rechedule.attempts > 0',
    'system-group-count':
      'Job task group {name} has count {count}. Count cannot exceed 1 with system scheduler',
    'periodic-type': 'Periodic can only be used with "batch" or "sysbatch" scheduler',
    'parameterized-type': 'Parameterized job can only be used with "batch" or "sysbatch" scheduler',
    'periodic-specs-both': 'Only cron or crons may be used',
    'periodic-spec-missing': 'Must specify a spec',
    'periodic-time-zone-invalid': 'Invalid time zone {zone}: {why}',
    'periodic-spec-invalid': 'Invalid cron spec {spec}: {why}',
    'periodic-spec-type-unknown': 'Unknown periodic specification type {type}',
    'payload-rule-unknown': 'Unknown payload requirement: {rule}',
    'meta-keys-both':
      'Required and optional meta keys should be disjoint. Following keys exist in both: [{keys}]',
  }),
)
