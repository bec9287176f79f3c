import { affinity, constraint, network } from './scheduling-blocks.ts'
import { all, anything, definite, labelled, many, one, plain, texts } from './schema.ts'

const device = {
  arguments: all('uint64', 'count'),
  blocks: { constraint, affinity },
}

/** `resources` of a task. */
export const resources = one('Resources', {
  arguments: all(
    'int',
    'cpu->CPU cores memory->MemoryMB memory_max->MemoryMaxMB disk->DiskMB iops->IOPS secrets->SecretsMB',
  ),
  blocks: {
    network,
    device: many('Devices', device, labelled('', 'Name')),
    numa: one(
      'NUMA',
      plain({ ...definite('string', 'affinity'), ...all('list of string', 'devices') }),
    ),
  },
})

/** `logs` of a task. */
export const logs = one(
  'LogConfig',
  plain({
    ...all('int', 'max_files max_file_size->MaxFileSizeMB'),
    ...all('bool', 'disabled enabled'),
  }),
)

/** `volume_mount` of a task. */
export const volumeMount = many(
  'VolumeMounts',
  plain({
    ...all('string', 'volume destination propagation_mode selinux_label->SELinuxLabel'),
    ...all('bool', 'read_only'),
  }),
)

const identityArguments = plain({
  ...definite('string', 'name change_mode change_signal filepath service_name'),
  ...all('list of string', 'aud->Audience extra_claims'),
  ...definite('bool', 'env file'),
  ...definite('duration', 'ttl->TTL'),
})
/** `identity` of a task. */
export const identity = many('Identities', identityArguments)
/** `identity` of a service. */
export const serviceIdentity = one('Identity', identityArguments)

/** `artifact` of a task. */
export const artifact = many('Artifacts', {
  arguments: {
    ...all('string', 'source->GetterSource destination->RelativeDest mode->GetterMode'),
    ...all('bool', 'insecure->GetterInsecure'),
    ...definite('bool', 'chown'),
  },
  blocks: { options: one('GetterOptions', texts), headers: one('GetterHeaders', texts) },
})

const SPLAY = 5_000_000_000

/** `template` of a task. */
export const template = many('Templates', {
  arguments: {
    ...all('string', 'source->SourcePath destination->DestPath data->EmbeddedTmpl'),
    ...all('string', 'change_mode change_signal perms'),
    ...all('string', 'left_delimiter->LeftDelim right_delimiter->RightDelim'),
    ...all('bool', 'env->Envvars once error_on_missing_key->ErrMissingKey'),
    ...all('int', 'uid gid'),
    ...all('duration', 'splay'),
    // Without effect for long, but read.
    secrets_grace: { type: 'duration', member: undefined, vendor: 'vault_grace' },
  },
  blocks: {
    wait: one('Wait', plain(all('duration', 'min max'))),
    change_script: one(
      'ChangeScript',
      plain({
        ...all('string', 'command'),
        ...all('list of string', 'args'),
        ...all('duration', 'timeout'),
        ...all('bool', 'fail_on_error run_on_first_render'),
      }),
    ),
  },
  defaults: { ChangeMode: 'restart', Perms: '0644', Splay: SPLAY },
})

/** `secrets` of a job, group or task: what it may have of the secrets service. */
export const secrets = one(
  'Secrets',
  plain(
    {
      ...all('list of string', 'policies'),
      ...definite('string', 'role cluster'),
      ...all('string', 'namespace change_mode change_signal'),
      ...all('bool', 'env disable_file allow_token_expiration'),
    },
    { defaults: { Env: true, ChangeMode: 'restart' } },
  ),
  { vendor: 'vault' },
)

/** `mesh` of a group or task. */
export const mesh = one('Mesh', plain(definite('string', 'namespace cluster partition')), {
  vendor: 'consul',
})

/** `action` of a task. */
export const action = many(
  'Actions',
  plain({
    ...all('string', 'command', { definite: true, required: true }),
    ...all('list of string', 'args'),
  }),
  labelled('name', 'Name'),
)

/** `schedule` of a task. */
export const schedule = one('Schedule', {
  arguments: {},
  blocks: { cron: one('Cron', plain(definite('string', 'start end timezone'))) },
})

/** `secret` of a task: read, but the job has no member for it (section 11). */
export const secret = many(
  undefined,
  {
    arguments: definite('string', 'provider path'),
    blocks: { config: one('Config', anything), env: one('Env', texts) },
  },
  labelled('name', 'Name'),
)
