import {
  affinity,
  constraint,
  groupScaling,
  jobReschedule,
  migrate,
  multiregion,
  network,
  parameterized,
  periodic,
  reschedule,
  restart,
  spread,
  taskScaling,
  update,
} from './scheduling-blocks.ts'
import {
  all,
  anything,
  definite,
  type FixedContents,
  labelled,
  many,
  one,
  plain,
  texts,
} from './schema.ts'
import { service } from './service-blocks.ts'
import {
  action,
  artifact,
  identity,
  logs,
  mesh,
  resources,
  schedule,
  secret,
  secrets,
  template,
  volumeMount,
} from './task-parts.ts'

const meta = one('Meta', texts, { assignable: true })

const task = many(
  'Tasks',
  {
    arguments: {
      ...definite('string', 'driver user kill_signal kind'),
      ...definite('bool', 'leader'),
      ...all('duration', 'kill_timeout'),
      ...definite('duration', 'shutdown_delay'),
    },
    blocks: {
      config: one('Config', anything),
      env: one('Env', texts, { assignable: true }),
      meta,
      constraint,
      affinity,
      restart,
      resources,
      logs,
      artifact,
      template,
      service,
      secrets,
      mesh,
      volume_mount: volumeMount,
      scaling: taskScaling,
      dispatch_payload: one('DispatchPayload', plain(definite('string', 'file'))),
      lifecycle: one(
        'Lifecycle',
        plain({
          ...all('string', 'hook', { definite: true, required: true }),
          ...definite('bool', 'sidecar'),
        }),
      ),
      csi_plugin: one(
        'CSIPluginConfig',
        plain({
          ...definite('string', 'id->ID type mount_dir stage_publish_base_dir'),
          ...definite('duration', 'health_timeout'),
        }),
      ),
      identity,
      action,
      schedule,
      secret,
    },
  },
  labelled('name', 'Name'),
)

const volume: FixedContents = {
  arguments: {
    ...definite('string', 'type source access_mode attachment_mode'),
    ...definite('bool', 'read_only per_alloc sticky'),
  },
  blocks: {
    mount_options: one(
      'MountOptions',
      plain({ ...definite('string', 'fs_type->FSType'), ...all('list of string', 'mount_flags') }),
    ),
  },
}

const group = many(
  'TaskGroups',
  {
    arguments: {
      ...all('int', 'count'),
      ...all('duration', 'shutdown_delay stop_after_client_disconnect max_client_disconnect'),
      ...all('bool', 'prevent_reschedule_on_lost'),
      max_run_duration: { type: 'duration', member: undefined },
    },
    blocks: {
      meta,
      constraint,
      affinity,
      spread,
      update,
      migrate,
      reschedule,
      restart,
      scaling: groupScaling,
      ephemeral_disk: one(
        'EphemeralDisk',
        plain({ ...all('bool', 'sticky migrate'), ...all('int', 'size->SizeMB') }),
      ),
      network,
      volume: { member: 'Volumes', as: 'map', contents: volume, ...labelled('name', 'Name') },
      service,
      task,
      secrets,
      mesh,
      disconnect: one(
        'Disconnect',
        plain({
          ...all('duration', 'lost_after stop_on_client_after'),
          ...all('bool', 'replace'),
          ...all('string', 'reconcile'),
        }),
      ),
    },
  },
  labelled('name', 'Name'),
)

/**
 * `job "ID"`: all that may stand in it (3b-scheduler-decisions.md section 9, Blocks). `Tasks` and
 * `Secrets` are no members of a job: they are handed down when all is read.
 */
export const job: FixedContents = {
  arguments: {
    ...all('string', 'region namespace id->ID name type node_pool'),
    ...all('int', 'priority'),
    ...all('bool', 'all_at_once'),
    ...all('list of string', 'datacenters'),
    ...all('string', 'secrets_token', { vendor: 'vault_token' }),
    ...all('string', 'mesh_token', { vendor: 'consul_token' }),
  },
  blocks: {
    meta,
    constraint,
    affinity,
    spread,
    update,
    migrate,
    reschedule: jobReschedule,
    periodic,
    parameterized,
    multiregion,
    group,
    task,
    secrets,
    ui: one('UI', {
      arguments: definite('string', 'description'),
      blocks: { link: many('Links', plain(definite('string', 'label url->URL'))) },
    }),
  },
}
