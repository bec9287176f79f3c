import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { findAllocation } from '../../../state/scheduler/cluster/allocations/allocations.ts'
import { message as clusterMessage } from '../../../state/scheduler/cluster/model/messages.ts'
import { dataIndex } from '../../../state/scheduler/indexes.ts'
import { message } from '../../../state/scheduler/messages.ts'
import { findJob } from '../../../state/scheduler/records/store.ts'
import { refuse } from '../../../state/scheduler/services/messages.ts'
import {
  chooseServices,
  deleteService,
  listServices,
  servicesNamed,
  servicesOfAllocation,
  servicesOfJob,
} from '../../../state/scheduler/services/services.ts'
import { registrationShape } from '../../../state/scheduler/services/tables.ts'
import { parameters } from '../../http/declare/parameters.ts'
import { requireCapability, requiresCapability, within } from '../access.ts'
import { checkAllocationPath, checkId } from '../cluster/lookups.ts'
import { operationsOf } from '../operation.ts'
import { namespacesWith, pageOf, readData } from '../reads.ts'

const operation = operationsOf({ spec: 'behaviour/scheduler#services' })

const servicesShape = list(
  struct('ServiceRegistrationListStub', {
    Namespace: text,
    Services: list(struct('ServiceRegistrationStub', { ServiceName: text, Tags: list(text) })),
  }),
)

/** Operations on the services that tasks register in this cluster instead of in the mesh. */
export const serviceOperations = [
  operation.get('listServices', '/services', {
    access: within(requiresCapability('read-job')),
    summary: 'List the names of services with their tags; can block.',
    reply: { 200: servicesShape },
    run({ context }) {
      const { world, namespace } = context
      return readData(context, 'services', () => {
        // With `namespace=*`, namespaces that the caller may not read are left out, and no refusal
        // is thrown.
        if (namespace !== '*') requireCapability(context, namespace, 'read-job')
        return listServices(world, namespacesWith(context, 'read-job'))
      })
    },
  }),
  operation.get('readService', '/service/:name', {
    access: requiresCapability('read-job'),
    summary: 'List the instances of a service; can block.',
    query: parameters({
      choose: described(text, 'Number of instances and a key that selects them: `<number>|<key>`'),
    }),
    reply: { 200: list(registrationShape) },
    run({ context, params: { name } }) {
      const { world, namespace, query } = context
      if (name === '') throw refuse('service-name-missing')
      return context.read((options) => {
        const all = servicesNamed(world, namespace, name)
        const keyOf = ({ ID }: { readonly ID: string }) => `${namespace}.${ID}`
        const page = pageOf(all, keyOf, registrationShape, { ...options, prefix: '' })
        const choose = query.value('choose') ?? ''
        const body = choose === '' ? page.items : chooseServices(page.items, choose)
        return { index: dataIndex(world, 'services'), body, nextToken: page.nextToken }
      })
    },
  }),
  operation.delete('deleteService', '/service/:name/:id', {
    access: requiresCapability('submit-job'),
    summary: 'Deregister an instance of a service; its task keeps running.',
    run({ context, params: { name, id } }) {
      const { world, namespace } = context
      if (name.includes('/')) throw refuse('service-path-invalid')
      if (id === '') throw refuse('service-id-missing')
      deleteService(world, namespace, id)
      return context.writeReply()
    },
  }),
  operation.get('listJobServices', '/job/:id/services', {
    access: requiresCapability('read-job'),
    summary: 'List the services of a job; can block.',
    reply: { 200: list(registrationShape) },
    run({ context, params: { id } }) {
      const { world, namespace } = context
      return context.read(() => {
        const index = dataIndex(world, 'services')
        return findJob(world, namespace, id) === undefined
          ? { index, absentMessage: message('job-not-found') }
          : { index, body: servicesOfJob(world, namespace, id) }
      })
    },
  }),
  operation.get('listAllocationServices', '/allocation/:id/services', {
    checkPath: checkAllocationPath,
    access: requiresCapability('read-job'),
    summary: 'List the services of an allocation; can block.',
    reply: { 200: list(registrationShape) },
    run({ context, params: { id } }) {
      const { world, namespace } = context
      return context.read(() => {
        const index = dataIndex(world, 'services')
        const allocation = findAllocation(world, checkId('alloc', id))
        return allocation?.Namespace !== namespace
          ? { index, absentMessage: clusterMessage('allocation-not-found') }
          : { index, body: servicesOfAllocation(world, id) }
      })
    },
  }),
]
