import { jsonrepair } from 'jsonrepair';
import { stripReasoning } from './reasoning.js';
import { closingBrace, MOST_STRAYS } from './scan.js';

/** A piece of a reply that could be read as JSON. */
export interface Candidate {
  value: unknown;
  /** It was no JSON as it stood. */
  repaired: boolean;
  /** Nothing but this (and a fence around it) is in the reply. */
  alone: boolean;
}

export interface Extract {
  /** Best first: the whole text, then what stands in fences, then every other object or list of objects, the last one first. */
  candidates: Candidate[];
  /** The text holds an object, or a list of them, that never closes. */
  cut: boolean;
  /** Nothing is left once the reasoning is gone. */
  empty: boolean;
}

/** The JSON values of a reply, best first. Reasoning blocks and objects that never close yield none. */
export function extractJson(text: string): unknown[] {
  return extract(text).candidates.map((candidate) => candidate.value);
}

export function extract(text: string): Extract {
  const said = stripReasoning(text).trim();
  const whole = strictly(said);
  if (typeof whole === 'object' && whole !== null) {
    return { candidates: [{ value: whole, repaired: false, alone: true }], cut: false, empty: false };
  }
  const { pieces, cut } = topLevelPieces(said);
  const ordered = [...pieces].reverse().sort((a, b) => Number(b.fenced) - Number(a.fenced));
  return { candidates: ordered.flatMap((piece) => candidate(piece, said)), cut, empty: said === '' };
}

interface Piece {
  text: string;
  fenced: boolean;
}

/** Only what is outermost: what an argument contains (a file, an example) is never taken for the reply. */
function topLevelPieces(text: string): { pieces: Piece[]; cut: boolean } {
  const pieces: Piece[] = [];
  let fences = 0;
  let strays = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith('```', at)) {
      fences++;
      at += 2;
    } else if (opensPiece(text, at)) {
      const end = closingBrace(text, at);
      if (end !== -1) pieces.push({ text: text.slice(at, end + 1), fenced: fences % 2 === 1 });
      else if (opensObject(text, at) || ++strays > MOST_STRAYS) return { pieces, cut: true };
      at = end === -1 ? at : end;
    }
  }
  return { pieces, cut: false };
}

/** A list counts as a whole: of its commands all run, in their order, or none. */
function opensPiece(text: string, at: number): boolean {
  return text[at] === '{' || (text[at] === '[' && /^\[\s*\{/.test(text.slice(at, at + 200)));
}

/** Tells the beginning of an object, or of a list of them, from a brace in a sentence. */
function opensObject(text: string, at: number): boolean {
  return /^(?:\[\s*)?\{\s*("|'|[A-Za-z_]\w*\s*:|$)/.test(text.slice(at, at + 200));
}

function candidate(piece: Piece, said: string): Candidate[] {
  const alone = said.replace(/^```\w*\s*|\s*```$/g, '') === piece.text;
  const value = strictly(piece.text);
  if (value !== undefined) return [{ value, repaired: false, alone }];
  const repaired = leniently(piece.text);
  return repaired === undefined ? [] : [{ value: repaired, repaired: true, alone }];
}

function strictly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function leniently(text: string): unknown {
  try {
    return JSON.parse(jsonrepair(text));
  } catch {
    return undefined;
  }
}
