/**
 * A minimal model of key-value version 2: objects in a map, without any code of the program
 * (behaviour/secrets#api-kv2; behaviour/secrets#key-value).
 */

export type Data = { [key: string]: string | number | null | Data }

interface ModelVersion {
  created: number
  deletion: number | null
  destroyed: boolean
  data: Data
}

interface ModelKey {
  created: number
  updated: number
  current: number
  oldest: number
  max: number
  cas: boolean
  after: number
  custom: Record<string, string>
  versions: Map<number, ModelVersion>
}

export interface Settings {
  max_versions?: number
  cas_required?: boolean
  delete_version_after?: number
}

export interface MetadataSettings extends Settings {
  custom_metadata?: Record<string, string>
}

export interface MetadataMerge extends Settings {
  custom_metadata?: Record<string, string | null> | null
}

/** The model refuses a request. */
export class ModelRefusal extends Error {}

export class Kv2Model {
  now = 0
  config = { max: 0, cas: false, after: 0 }
  readonly keys = new Map<string, ModelKey>()

  readable(version: ModelVersion): boolean {
    if (version.destroyed) return false
    return version.deletion === null || version.deletion > this.now
  }

  write(path: string, data: Data, cas: number | undefined): void {
    const key = this.keys.get(path) ?? this.fresh()
    this.checkCas(key, cas)
    this.keys.set(path, key)
    this.add(key, data)
  }

  patch(path: string, patch: Data, cas: number | undefined): void {
    const key = this.keys.get(path)
    if (key === undefined) throw new ModelRefusal('absent')
    if (cas === 0) throw new ModelRefusal('mismatch')
    this.checkCas(key, cas)
    const version = key.versions.get(key.current)
    if (version === undefined) throw new ModelRefusal('absent')
    if (!this.readable(version)) throw new ModelRefusal('gone')
    this.add(key, merge(version.data, patch))
  }

  delete(path: string, numbers: number[]): void {
    for (const version of this.some(path, numbers)) {
      if (this.readable(version)) version.deletion = this.now
    }
  }

  undelete(path: string, numbers: number[]): void {
    const key = this.keys.get(path)
    for (const version of this.some(path, numbers)) {
      if (key !== undefined && !version.destroyed) version.deletion = this.deletionFor(key)
    }
  }

  destroy(path: string, numbers: number[]): void {
    for (const version of this.some(path, numbers)) version.destroyed = true
  }

  writeMetadata(path: string, change: MetadataSettings): void {
    if (Object.keys(change).length === 0) return
    const key = this.keys.get(path) ?? this.fresh()
    this.keys.set(path, key)
    apply(key, change)
    if (change.custom_metadata !== undefined) key.custom = { ...change.custom_metadata }
  }

  patchMetadata(path: string, change: MetadataMerge): void {
    const key = this.keys.get(path)
    if (key === undefined) throw new ModelRefusal('absent')
    apply(key, change)
    if (change.custom_metadata === null) key.custom = {}
    for (const [name, value] of Object.entries(change.custom_metadata ?? {})) {
      if (value === null) delete key.custom[name]
      else key.custom[name] = value
    }
  }

  configure(change: Settings): void {
    apply(this.config, change)
    if (this.config.after < 0) this.config.after = -1
  }

  names(folder: string): string[] {
    const below = [...this.keys.keys()].filter((path) => path.startsWith(folder))
    const names = below.map((path) => /^[^/]*\/?/.exec(path.slice(folder.length))?.[0] ?? '')
    return [...new Set(names)].sort()
  }

  private fresh(): ModelKey {
    return {
      created: this.now,
      updated: this.now,
      current: 0,
      oldest: 0,
      max: 0,
      cas: false,
      after: 0,
      custom: {},
      versions: new Map(),
    }
  }

  private checkCas(key: ModelKey, cas: number | undefined): void {
    if (cas === undefined && (this.config.cas || key.cas)) throw new ModelRefusal('required')
    if (cas !== undefined && cas !== key.current) throw new ModelRefusal('mismatch')
  }

  private deletionFor(key: ModelKey): number | null {
    if (this.config.after < 0) return null
    if (this.config.after === 0 && key.after === 0) return null
    if (this.config.after === 0) return this.now + key.after * 1000
    if (key.after === 0) return this.now + this.config.after * 1000
    return this.now + Math.min(this.config.after, key.after) * 1000
  }

  private add(key: ModelKey, data: Data): void {
    key.current += 1
    key.updated = this.now
    key.versions.set(key.current, {
      created: this.now,
      deletion: this.deletionFor(key),
      destroyed: false,
      data,
    })
    const limit = key.max > 0 ? key.max : this.config.max > 0 ? this.config.max : 10
    if (key.current - key.oldest < limit) return
    for (const number of [...key.versions.keys()]) {
      if (number <= key.current - limit) key.versions.delete(number)
    }
    key.oldest = key.current - limit + 1
  }

  private some(path: string, numbers: number[]): ModelVersion[] {
    const versions = this.keys.get(path)?.versions
    return numbers.flatMap((number) => versions?.get(number) ?? [])
  }
}

function apply(target: { max: number; cas: boolean; after: number }, change: Settings): void {
  if (change.max_versions !== undefined) target.max = change.max_versions
  if (change.cas_required !== undefined) target.cas = change.cas_required
  if (change.delete_version_after !== undefined) target.after = change.delete_version_after
}

/** Merges by the pseudo-code of RFC 7396. */
function merge(target: Data[string] | undefined, patch: Data): Data {
  const result: Data = typeof target === 'object' && target !== null ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else if (typeof value === 'object') result[name] = merge(result[name], value)
    else result[name] = value
  }
  return result
}
