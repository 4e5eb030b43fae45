import type { ProductCard } from "../../src/gen/aisle/v1/product_card_pb.js";
import type { ProductReason } from "../../src/gen/aisle/v1/recommendation_reason_pb.js";
import type { ExplainRecommendationResponse } from "../../src/gen/aisle/v1/recommendation_service_pb.js";
import { boostText } from "./boost-words.js";
import type { FrameEdits } from "./frame-edits.js";
import { Empty } from "./parts.js";
import { EditStatus, PinAndBan } from "./pin-and-ban.js";
import { Picture, priceText, type Shelf } from "./products.js";
import { reasonText, SOURCE_NAMES, shortNumber } from "./reasons.js";

/** Both lists of an answer, and parts of the question without effect. */
export function BothLists(props: {
  readonly answer: ExplainRecommendationResponse;
  readonly shelf: Shelf;
  readonly edits: FrameEdits;
}) {
  const { answer, shelf, edits } = props;
  const { recommended = [], alternative = [], missingIds = [] } = answer.response ?? {};
  return (
    <>
      <EditStatus edits={edits} />
      {missingIds.length > 0 && <p class="note">Unknown and ignored: {missingIds.join(", ")}</p>}
      <ReasonedList
        title="Recommended"
        about="Complements: products that go with it."
        cards={recommended}
        reasons={answer.recommendedReasons}
        shelf={shelf}
        edits={edits}
      />
      <ReasonedList
        title="Alternative"
        about="Similar products to choose instead."
        cards={alternative}
        reasons={answer.alternativeReasons}
        shelf={shelf}
        edits={edits}
      />
    </>
  );
}

/** A list of an answer: products with pictures, scores and reasons. */
function ReasonedList(props: {
  readonly title: string;
  readonly about: string;
  readonly cards: readonly ProductCard[];
  readonly reasons: readonly ProductReason[];
  readonly shelf: Shelf;
  readonly edits: FrameEdits;
}) {
  const { title, about, cards, reasons, shelf, edits } = props;
  const best = Math.max(...reasons.map(({ score }) => score), Number.MIN_VALUE);
  return (
    <section class="card" aria-label={title}>
      <h2>
        {title} <span class="count">{cards.length}</span>
      </h2>
      <p class="muted">{about}</p>
      {cards.length === 0 && <Empty>Nothing.</Empty>}
      <ol class="products">
        {cards.map((card, index) => {
          const reason = reasons[index];
          return (
            <li key={card.productId}>
              <Picture url={card.imageUrl} hosts={shelf.pictureHosts} />
              <div>
                <h3>{card.title || card.productId}</h3>
                <p class="muted">{[priceText(card.price), card.productId].filter((text) => text !== "").join(" · ")}</p>
                {reason && (
                  <>
                    <p class="score">
                      <span class="bar" aria-hidden="true">
                        <span style={{ width: `${Math.max(2, (100 * reason.score) / best)}%` }} />
                      </span>
                      <span>score {shortNumber(reason.score)}</span>
                      {reason.pinned && <span class="tag">pinned</span>}
                      {reason.explorationProbability > 0 && (
                        <span class="tag">explored, probability {shortNumber(reason.explorationProbability)}</span>
                      )}
                    </p>
                    <ul class="reasons">
                      {reason.sources.map((part) => (
                        <li key={part.source}>
                          <span class="tag">
                            {SOURCE_NAMES[part.source] ?? "Other"}
                            {part.rank > 0 && ` #${part.rank}`}
                          </span>{" "}
                          {reasonText(part, shelf.titleOf)}
                        </li>
                      ))}
                      {reason.boosts.map((boost) => (
                        <li key={boostText(boost)}>
                          <span class="tag">Rule of the frame</span> {boostText(boost)}
                        </li>
                      ))}
                    </ul>
                  </>
                )}
                <PinAndBan productId={card.productId} title={card.title || card.productId} edits={edits} />
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
