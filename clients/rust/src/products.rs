use crate::v1::EventProduct;

/// The products of an event, named by their ids.
pub fn products<T: Into<String>>(ids: impl IntoIterator<Item = T>) -> Vec<EventProduct> {
    ids.into_iter().map(|id| EventProduct { product_id: id.into(), ..Default::default() }).collect()
}
