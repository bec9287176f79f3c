import type { ClockRequest, ClockView, DueList } from '../../routes/control/clock/clock-shapes.ts'
import type { TransitionView } from '../../routes/control/clock/transition-control.ts'
import type { SnapshotView } from '../../routes/control/state/state-shapes.ts'
import type { SnapshotDiff } from '../../routes/control/state/world-content.ts'
import type { WorldOverview } from '../../routes/control/worlds/world-shapes.ts'
import type { Explanation } from '../../routes/explain/explanation.ts'
import type { Fault } from '../../routes/faults/declare/fault-shapes.ts'
import type { Entry } from '../../routes/journal/entry.ts'
import type { OpenRequest } from '../../routes/journal/journal-queries.ts'
import type { Client } from '../client.ts'
import type { ChangedRow } from '../parts/row-change.tsx'
import type { Sendable } from '../pure/curl.ts'
import type { ServiceState } from '../pure/items.ts'
import type { FormSchema } from '../pure/schema-form.ts'
import type {
  ApiReply,
  EventsRequest,
  FiredEvent,
  HistoryEvent,
  JobName,
  JobVersion,
  JournalExtent,
  NewWorld,
  OptionsByService,
  Preset,
  Source,
  WorldActions,
  WorldInfo,
  WorldSource,
} from './source.ts'

/** Part of the control plane's OpenAPI document that describes the options. */
interface OpenApiDocument {
  readonly components: {
    readonly schemas: {
      readonly StateDocument: { readonly properties: { readonly options: FormSchema } }
    }
  }
}

/** Source that reads from a live server and changes it, through the control plane. */
export class LiveSource implements Source {
  readonly run = undefined
  readonly #client: Client
  readonly #worlds = new Map<string, LiveWorld>()

  constructor(client: Client) {
    this.#client = client
  }

  can(): boolean {
    return true
  }

  async defaultWorld(): Promise<string> {
    return (await this.#client.call<{ world: string }>('GET', '/info')).world
  }

  async worlds(): Promise<readonly WorldOverview[]> {
    const { worlds } = await this.#client.call<{ worlds: readonly WorldOverview[] }>(
      'GET',
      '/worlds',
    )
    return worlds
  }

  world(id: string): WorldSource {
    const known = this.#worlds.get(id) ?? new LiveWorld(this.#client, id)
    this.#worlds.set(id, known)
    return known
  }

  async optionsForm(): Promise<FormSchema | undefined> {
    const { components } = await this.#client.call<OpenApiDocument>('GET', '/openapi.json')
    return components.schemas.StateDocument.properties.options
  }

  rebaseUrls(text: string): string {
    return this.#client.rebaseUrls(text)
  }

  trace(world?: string): Promise<string> {
    const path = world === undefined ? '' : `/worlds/${encodeURIComponent(world)}`
    return this.#client.call('GET', `${path}/trace`)
  }

  async createWorld(settings: NewWorld): Promise<string> {
    return (await this.#client.call<{ id: string }>('POST', '/worlds', settings)).id
  }

  async deleteWorld(id: string): Promise<void> {
    await this.#client.call('DELETE', `/worlds/${encodeURIComponent(id)}`)
  }
}

class LiveWorld implements WorldSource, WorldActions {
  readonly id: string
  readonly actions: WorldActions = this
  readonly #client: Client
  readonly #call: ReturnType<Client['callerFor']>

  constructor(client: Client, id: string) {
    this.#client = client
    this.id = id
    this.#call = client.callerFor(id)
  }

  info(): Promise<WorldInfo> {
    return this.#get('/info')
  }

  entry(request: string): Promise<Entry> {
    return this.#get(`/requests/${encodeURIComponent(request)}`)
  }

  explanation(request: string): Promise<Explanation> {
    return this.#get(`/explain/${encodeURIComponent(request)}`)
  }

  async openRequests(): Promise<readonly OpenRequest[]> {
    return (await this.#get<{ requests: readonly OpenRequest[] }>('/requests/open')).requests
  }

  async history(): Promise<readonly HistoryEvent[]> {
    return []
  }

  async changes(request: string): Promise<readonly ChangedRow[]> {
    const path = `/requests/${encodeURIComponent(request)}/changes`
    return (await this.#get<{ changes: readonly ChangedRow[] }>(path)).changes
  }

  state(service: string, request?: string): Promise<ServiceState> {
    const query = request === undefined ? '' : `?at=${encodeURIComponent(request)}`
    return this.#get(`/state/${encodeURIComponent(service)}${query}`)
  }

  clock(): Promise<ClockView> {
    return this.#get('/clock')
  }

  due(): Promise<DueList> {
    return this.#get('/clock/due?limit=200')
  }

  async snapshots(): Promise<readonly SnapshotView[]> {
    return (await this.#get<{ snapshots: readonly SnapshotView[] }>('/snapshots')).snapshots
  }

  async changesSince(snapshot: string): Promise<readonly ChangedRow[]> {
    return (await this.#get<SnapshotDiff>(`/snapshots/${encodeURIComponent(snapshot)}/diff`))
      .changes
  }

  async machines(): Promise<readonly TransitionView[]> {
    return (await this.#get<{ kinds: readonly TransitionView[] }>('/transitions')).kinds
  }

  report(): Promise<string> {
    return this.#get('/report?format=markdown')
  }

  options(): Promise<OptionsByService> {
    return this.#get('/options')
  }

  async journal(): Promise<JournalExtent> {
    const [options, { requests, total }] = await Promise.all([
      this.options(),
      this.#get<{ requests: readonly Entry[]; total: number }>('/requests?limit=1'),
    ])
    return { capacity: Number(options['control']?.['journalSize']), total, oldest: requests[0] }
  }

  async faults(): Promise<readonly Fault[]> {
    return (await this.#get<{ faults: readonly Fault[] }>('/faults')).faults
  }

  async presets(): Promise<readonly Preset[]> {
    return (await this.#get<{ presets: readonly Preset[] }>('/faults/presets')).presets
  }

  async jobVersions({ id, namespace }: JobName): Promise<readonly JobVersion[]> {
    const query = `namespace=${encodeURIComponent(namespace)}`
    const path = `/scheduler/jobs/${encodeURIComponent(id)}/versions?${query}`
    return (await this.#get<{ versions: readonly JobVersion[] }>(path)).versions
  }

  testRunLog(id: string): Promise<string> {
    return this.#get(`/platform/test-runs/${encodeURIComponent(id)}/log`)
  }

  variables(): Promise<Readonly<Record<string, string>>> {
    return this.#get('/env?format=json')
  }

  async variablesAs(format: string): Promise<string> {
    const text = await this.#get<string | object>(`/env?format=${format}`)
    return typeof text === 'string' ? text : JSON.stringify(text, null, 2)
  }

  follow(request: EventsRequest): Promise<void> {
    return this.#client.events(this.id, request)
  }

  send(request: Sendable): Promise<ApiReply> {
    return this.#client.send(this.id, request)
  }

  async clearJournal(): Promise<void> {
    await this.#call('DELETE', '/requests')
  }

  async rewind(request: string): Promise<void> {
    await this.#call('POST', `/requests/${encodeURIComponent(request)}/rewind`)
  }

  async addFault(fault: object): Promise<string> {
    return (await this.#call<{ id: string }>('POST', '/faults', fault)).id
  }

  async removeFaults(id?: string): Promise<void> {
    await this.#call('DELETE', id === undefined ? '/faults' : `/faults/${encodeURIComponent(id)}`)
  }

  async turnPresetOn(name: string, parameters: object): Promise<void> {
    await this.#call('POST', `/faults/presets/${encodeURIComponent(name)}`, parameters)
  }

  async turnPresetOff(name: string): Promise<void> {
    await this.#call('DELETE', `/faults/presets/${encodeURIComponent(name)}`)
  }

  async setOption(service: string, name: string, value: unknown): Promise<void> {
    await this.#call('PATCH', '/options', { [service]: { [name]: value } })
  }

  async advance(by: string | number): Promise<readonly FiredEvent[]> {
    const { fired } = await this.#call<{ fired: readonly FiredEvent[] }>('POST', '/clock/advance', {
      by,
    })
    return fired
  }

  async setClock(setting: ClockRequest): Promise<void> {
    await this.#call('PUT', '/clock', setting)
  }

  async takeSnapshot(): Promise<string> {
    return (await this.#call<SnapshotView>('POST', '/snapshots')).id
  }

  async restoreSnapshot(id: string): Promise<void> {
    await this.#call('POST', `/snapshots/${encodeURIComponent(id)}/restore`)
  }

  async deleteSnapshot(id: string): Promise<void> {
    await this.#call('DELETE', `/snapshots/${encodeURIComponent(id)}`)
  }

  async stepCluster(): Promise<void> {
    await this.#call('POST', '/scheduler/step')
  }

  async forceTransition(kind: string, id: string, details: object): Promise<void> {
    const path = `/transitions/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`
    await this.#call('POST', path, details)
  }

  async reset(): Promise<void> {
    await this.#call('POST', '/reset')
  }

  #get<T>(path: string): Promise<T> {
    return this.#call<T>('GET', path)
  }
}
