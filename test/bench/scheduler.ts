import type { World } from '../../state/kernel/worlds/world.ts'
import { Worlds } from '../../state/kernel/worlds/worlds.ts'
import { decodeValue } from '../../state/scheduler/decoding.ts'
import { storedJob } from '../../state/scheduler/job/canonical.ts'
import { jobShape } from '../../state/scheduler/job/job-shape.ts'
import { jobStub, listJobs } from '../../state/scheduler/jobs/listing.ts'
import { summaryOf, upsertJob } from '../../state/scheduler/records/store.ts'
import { schedulerService } from '../../state/scheduler/service.ts'
import { type Row, showSpread, spreadOf } from './report.ts'

const rounds = 201
const perPage = 50

function worldWith(count: number): World {
  const world = new Worlds({
    services: [schedulerService],
    seed: 'bench',
    clock: { mode: 'frozen', at: 0 },
  }).default
  for (let from = 0; from < count; from += 1000) {
    world.write(() => {
      for (let n = from; n < Math.min(count, from + 1000); n++) {
        // Both worlds have 100 jobs with the prefix of the page.
        const ID = `${n < 100 ? 'page' : 'other'}-${n}`
        const sent = decodeValue(
          { ID, TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't' }] }] },
          jobShape,
        )
        const context = { namespace: 'default', uuid: () => world.ids.uuid() }
        upsertJob(world, storedJob(sent, context))
      }
    })
  }
  return world
}

/** Compares listing a page of jobs by prefix among 20,000 jobs and among 200. */
export function jobListRow(): Row {
  const [small, large] = [worldWith(200), worldWith(20_000)]
  const list = (world: World) => {
    const query = { namespaces: ['default'], prefix: 'page-', perPage }
    const { items } = listJobs(world, query)
    if (
      items.map((job) => jobStub(job, summaryOf(world, job.Namespace, job.ID))).length !== perPage
    )
      throw new Error('jobs were lost')
  }
  const figures = { ours: [] as number[], against: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    for (const [world, to] of [
      [large, figures.ours],
      [small, figures.against],
    ] as const) {
      const begin = performance.now()
      list(world)
      to.push(performance.now() - begin)
    }
  }
  const [ours, against] = [spreadOf(figures.ours), spreadOf(figures.against)]
  return {
    what: 'list a page of 50 jobs by prefix among 20,000, against among 200',
    ours: showSpread(ours, 3, ' ms'),
    against: showSpread(against, 3, ' ms'),
    ratio: (ours.median / against.median).toFixed(2),
    bound: 'as fast',
    holds: ours.median < 1.5 * against.median,
  }
}
