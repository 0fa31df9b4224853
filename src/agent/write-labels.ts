import { ForgeError, type ForgeErrorKind, type Item } from '../ports.js';
import type { Conversation } from '../records.js';
import { isPutOnAnew } from '../task/label-event.js';
import { hasLabel, labelChange, labelSpecs } from '../task/labels.js';
import { taskName, type Source } from '../task/key.js';
import { forgeOf, labelsOf, whoWeAre, type Agent } from './agent.js';
import { sameLogin } from './trust.js';

/** Who may put labels on may not always create them: whether those that are needed are there shows when they are put on. */
const UNCREATED: ForgeErrorKind[] = ['forbidden', 'gone', 'rejected'];

/**
 * Writes the label the conversation wants, unless it is there; what fails stays wanted. Only an abort is thrown.
 * `claiming`: a token that may not write is thrown as well, before any work is done for nobody to see. `leaving`: the label that our work showed until now. Where a person took it off meanwhile, no other takes its place.
 */
export async function writeLabels(
  agent: Agent,
  conversationId: number,
  { leaving, claiming = false }: { leaving?: 'processingLabel'; claiming?: boolean } = {},
): Promise<void> {
  const conversation = agent.store.conversations.get(conversationId);
  const { key, wantedLabel } = conversation;
  if (wantedLabel === null) return;
  try {
    await ensureLabelsOnce(agent, key.source, `${key.owner}/${key.repo}`);
    const item = await forgeOf(agent, key.source).getItem(key);
    const shown = leaving && labelsOf(agent.config, key.source)[leaving];
    if (item && !(shown && wasTakenOff(conversation, item, shown))) await change(agent, conversation, item);
    agent.store.conversations.update(conversationId, { wantedLabel: null, labelsWrittenAt: agent.clock.now() });
  } catch (error) {
    agent.signal.throwIfAborted();
    if (!(error instanceof ForgeError) || (claiming && error.kind === 'forbidden')) throw error;
    agent.log.write('warning', 'labels could not be written', { task: taskName(key), error: error.message });
  }
}

function wasTakenOff({ labelsWrittenAt, wantedLabel }: Conversation, item: Item, shown: string): boolean {
  return labelsWrittenAt !== null && !hasLabel(item, shown) && !hasLabel(item, wantedLabel!);
}

async function change(agent: Agent, conversation: Conversation, item: Item): Promise<void> {
  const { key, wantedLabel } = conversation;
  const { add, remove } = labelChange(item.labels, wantedLabel!, labelsOf(agent.config, key.source));
  const kept = await Promise.all(remove.map((label) => isAPersonsWish(agent, conversation, label)));
  await forgeOf(agent, key.source).changeLabels(
    key,
    add,
    remove.filter((_, at) => !kept[at]),
  );
}

/**
 * The request or paused label that somebody put on since our last write: what they want is found by the next tick.
 * The request label is never ours, whosever account it was.
 */
async function isAPersonsWish(agent: Agent, conversation: Conversation, label: string): Promise<boolean> {
  const { key, labelEvent, labelsWrittenAt } = conversation;
  const { botLabel, pausedLabel } = labelsOf(agent.config, key.source);
  const isRequest = hasLabel({ labels: [botLabel] }, label);
  if (labelsWrittenAt === null || !(isRequest || hasLabel({ labels: [pausedLabel] }, label))) return false;
  const event = await forgeOf(agent, key.source).newestLabelEvent(key, label);
  if (!event) return false;
  if (isRequest) return isPutOnAnew(event, labelEvent);
  const { login } = await whoWeAre(agent, key.source);
  return !(login !== null && sameLogin(event.actor, login)) && Date.parse(event.at) + 1000 > labelsWrittenAt;
}

async function ensureLabelsOnce(agent: Agent, source: Source, path: string): Promise<void> {
  const specs = labelSpecs(labelsOf(agent.config, source));
  const fact = `labels:${source}:${path}`;
  const value = specs.map((spec) => spec.name).join('|');
  if (agent.store.facts.get(fact) === value) return;
  try {
    await forgeOf(agent, source).ensureLabels(path, specs);
    agent.store.facts.set(fact, value);
  } catch (error) {
    if (!(error instanceof ForgeError) || !UNCREATED.includes(error.kind)) throw error;
    agent.log.write('warning', 'missing labels could not be created', { repository: path, error: error.message });
  }
}
