import { defineMessages } from '../../kernel/refusal.ts'

/** Messages about jobs and their launches (behaviour/scheduler#validation). */
export const { table: jobMessages, message } = defineMessages({
  'namespace-nonexistent': { text: 'job {job} is in nonexistent namespace {namespace}' },
  'node-pool-nonexistent': { text: 'job {job} is in nonexistent node pool {pool}' },
  'job-type-core': { text: 'job type cannot be core' },
  'job-payload-sent': { text: "job can't be submitted with a payload, only dispatched" },
  'job-priority-out-of-range': { text: 'job priority must be between [{low}, {high}]' },
  'job-count-too-high': {
    text: 'total count was greater than configured job_max_count: {count} > {most}',
  },
  'job-region-missing': { text: 'Missing job region' },
  'job-id-missing': { text: 'Missing job ID' },
  'job-id-space': { text: 'Job ID contains a space' },
  'job-id-null': { text: 'Job ID contains a null character' },
  'job-name-missing': { text: 'Missing job name' },
  'job-name-null': { text: 'Job Name contains a null character' },
  'job-type-missing': { text: 'Missing job type' },
  'job-type-unknown': { text: 'Invalid job type: {type}' },
  'job-datacenter-empty': { text: 'Job datacenter must be non-empty string' },
  'job-groups-missing': { text: 'Missing job task groups' },
  'group-invalid': { text: 'Task group {name} validation failed: {errors}' },
  'job-group-unnamed': { text: 'Job task group {at} missing name' },
  'job-group-again': { text: "Job task group {at} redefines '{name}' from group {first}" },
  'stop-after-disconnect-type': {
    text: 'stop_after_client_disconnect can only be set in batch and service jobs',
  },
  'stop-after-disconnect-negative': {
    text: 'stop_after_client_disconnect must be a positive value',
  },
  // The reference has this spelling.
  'disconnect-without-rescheduling': {
    text: 'max_client_disconnect and prevent_reschedule_on_lost cannot be enabled when rechedule.attempts > 0',
  },
  'system-group-count': {
    text: 'Job task group {name} has count {count}. Count cannot exceed 1 with system scheduler',
  },
  'periodic-type': { text: 'Periodic can only be used with "batch" or "sysbatch" scheduler' },
  'parameterized-type': {
    text: 'Parameterized job can only be used with "batch" or "sysbatch" scheduler',
  },
  'periodic-specs-both': { text: 'Only cron or crons may be used' },
  'periodic-spec-missing': { text: 'Must specify a spec' },
  'periodic-time-zone-invalid': { text: 'Invalid time zone {zone}: {why}' },
  'periodic-spec-invalid': { text: 'Invalid cron spec {spec}: {why}' },
  'periodic-spec-type-unknown': { text: 'Unknown periodic specification type {type}' },
  'payload-rule-unknown': { text: 'Unknown payload requirement: {rule}' },
  'meta-keys-both': {
    text: 'Required and optional meta keys should be disjoint. Following keys exist in both: [{keys}]',
  },
})
