import { World } from '../../../../state/kernel/worlds/world.ts'
import { kvJobs, kvTables } from '../../../../state/secrets/kv/kv.ts'
import type { Mount } from '../../../../state/secrets/mounts/mounts.ts'
import { secretsOptions } from '../../../../state/secrets/options.ts'

/** Builds a world with only the key-value engines, its clock frozen at 2026-01-01T00:00:00Z. */
export function kvWorld(): World {
  return new World({
    id: 'test',
    seed: 'test',
    clock: { mode: 'frozen', at: 1_767_225_600_000 },
    freezeRows: true,
    services: [
      {
        name: 'secrets',
        tables: kvTables,
        options: secretsOptions,
        fixtures: {},
        jobs: kvJobs,
        transitions: [],
        seed: () => {},
        load: () => {},
        info: () => ({}),
      },
    ],
    onError: (error) => {
      throw error
    },
  })
}

/** Builds a key-value mount of a version at `secret/`. */
export function kvMount(version: '1' | '2', changes: Partial<Mount> = {}): Mount {
  return {
    namespace: 'root',
    path: 'secret/',
    type: 'kv',
    description: '',
    accessor: 'kv_01234567',
    uuid: '00000000-0000-4000-8000-000000000000',
    config: { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false },
    options: { version },
    local: false,
    seal_wrap: false,
    external_entropy_access: false,
    ...changes,
  }
}
