//! A service on its platform: Cloud Run as `gcloud run services describe` prints it (a Knative service) and as its API answers
//! (`run.googleapis.com/v2`), a deployment of Kubernetes.

use super::describe::Told;
use crate::capture::yaml::Node;

/// A Knative service. Scales are texts in annotations; the template's, which its revision has, come before the service's.
pub(super) fn knative(root: &Node, told: &mut Told) {
    told.text("service.name", root.get(&["metadata", "name"]));
    told.text("service.location", root.get(&["metadata", "labels", "cloud.googleapis.com/location"]));
    let traffic = root.get(&["status", "traffic"]).map(Node::items).unwrap_or_default();
    let serving = Serving {
        traffic,
        key: "revisionName",
        newest: root.get(&["status", "latestCreatedRevisionName"]),
        ready: root.get(&["status", "latestReadyRevisionName"]),
    };
    let of_service = |key: &str| root.get(&["metadata", "annotations", &format!("run.googleapis.com/{key}")]);
    if of_service("scalingMode").and_then(Node::text) == Some("manual") {
        told.count("service.container.count", of_service("manualInstanceCount"));
    }
    let Some(template) = root.get(&["spec", "template"]).filter(|_| serving.tell(told)) else { return };
    let of_template = |key: &str| template.get(&["metadata", "annotations", &format!("autoscaling.knative.dev/{key}")]);
    let scale = |key| of_template(key).or_else(|| of_service(key));
    told.count("service.container.min_scale", scale("minScale"));
    told.count("service.container.max_scale", scale("maxScale"));
    // Knative writes 0 for "as many as come", which is no number of requests.
    let concurrency = template.get(&["spec", "containerConcurrency"]);
    told.count("service.container.concurrency", concurrency.filter(|node| node.text() != Some("0")));
    containers(template.get(&["spec", "containers"]), told);
}

/// The same service as Cloud Run's own API answers, with numbers for scales.
pub(super) fn run_v2(root: &Node, told: &mut Told) {
    let name = root.get(&["name"]);
    told.last_part("service.name", name);
    if let Some((node, text)) = name.and_then(|node| Some((node, node.text()?)))
        && let Some(location) = text.split('/').skip_while(|part| *part != "locations").nth(1)
    {
        told.fact("service.location", location, node);
    }
    let own = root.get(&["template", "revision"]);
    let serving = Serving {
        traffic: root.get(&["trafficStatuses"]).map(Node::items).unwrap_or_default(),
        key: "revision",
        newest: own.or_else(|| root.get(&["latestCreatedRevision"])),
        ready: root.get(&["latestReadyRevision"]),
    };
    told.count("service.container.count", root.get(&["scaling", "manualInstanceCount"]));
    let Some(template) = root.get(&["template"]).filter(|_| serving.tell(told)) else { return };
    let scale = |key| template.get(&["scaling", key]).or_else(|| root.get(&["scaling", key]));
    told.count("service.container.min_scale", scale("minInstanceCount"));
    told.count("service.container.max_scale", scale("maxInstanceCount"));
    told.count("service.container.concurrency", template.get(&["maxInstanceRequestConcurrency"]));
    containers(template.get(&["containers"]), told);
}

/// The deployments of a document: itself, or the items of a list, as `kubectl get deploy -o json` prints them with and without a
/// name.
pub(super) fn deployments(root: &Node) -> Vec<&Node> {
    let text = |node: &Node, key: &str| node.get(&[key]).and_then(Node::text).map(str::to_owned);
    let is = |node: &&Node| {
        let api = text(node, "apiVersion").is_some_and(|api| api.starts_with("apps/"));
        api && text(node, "kind").as_deref() == Some("Deployment") && node.get(&["spec", "template"]).is_some()
    };
    let listed = text(root, "kind").filter(|kind| kind.ends_with("List")).and_then(|_| root.get(&["items"]));
    listed.map_or(std::slice::from_ref(root), Node::items).iter().filter(is).collect()
}

/// The only deployment of a document; of several nobody knows which is the service.
pub(super) fn deployment(root: &Node, told: &mut Told) {
    let all = deployments(root);
    let [one] = all[..] else {
        told.wrong(format!("there are {} deployments in it: get the service's alone, by its name", all.len()), root);
        return;
    };
    told.text("service.name", one.get(&["metadata", "name"]));
    told.text("service.revision", one.get(&["metadata", "annotations", "deployment.kubernetes.io/revision"]));
    told.count("service.container.count", one.get(&["spec", "replicas"]));
    containers(one.get(&["spec", "template", "spec", "containers"]), told);
}

/// Which revisions the traffic goes to.
struct Serving<'n> {
    traffic: &'n [Node],
    /// The key that names a revision.
    key: &'static str,
    /// The revision that the template describes.
    newest: Option<&'n Node>,
    /// The newest one that could serve.
    ready: Option<&'n Node>,
}

impl Serving<'_> {
    /// Tells the revision that served; whether the template describes it. A template that nothing was sent to says nothing of the run.
    fn tell(&self, told: &mut Told) -> bool {
        let share = |node: &&Node| node.get(&["percent"]).and_then(Node::text).is_some_and(|percent| percent != "0");
        let named: Vec<&Node> = self.traffic.iter().filter(share).filter_map(|node| node.get(&[self.key])).collect();
        let last = |node: &Node| node.text().and_then(|text| text.rsplit('/').next()).map(str::to_owned);
        if named.iter().any(|node| last(node) != last(named[0])) {
            let message = "the traffic is split over several revisions: what the template says is not kept".to_owned();
            told.warn("other-revision", message, named[0]);
            return false;
        }
        let serving = named.first().copied().or(self.ready).or(self.newest);
        told.last_part("service.revision", serving);
        let (Some(serving), Some(newest)) = (serving, self.newest) else { return true };
        let same = last(serving) == last(newest);
        if !same {
            let message = "the traffic goes to another revision than the template describes: what it says is not kept".to_owned();
            told.warn("other-revision", message, serving);
        }
        same
    }
}

/// The container that takes the requests: the one with a port, of several; else the first.
fn containers(list: Option<&Node>, told: &mut Told) {
    let all = list.map(Node::items).unwrap_or_default();
    let Some(container) = all.iter().find(|one| one.get(&["ports"]).is_some()).or(all.first()) else { return };
    if let Some((node, version)) = container.get(&["image"]).and_then(|node| Some((node, version(node.text()?)?))) {
        told.fact("service.version", version, node);
    }
    told.vcpu("service.container.vcpu", container.get(&["resources", "limits", "cpu"]));
    told.size("service.container.memory", container.get(&["resources", "limits", "memory"]), "");
    for variable in container.get(&["env"]).map(Node::items).unwrap_or_default() {
        let name = variable.get(&["name"]).and_then(Node::text);
        // A reference to a secret has no `value`.
        let value = variable.get(&["value"]).and_then(|node| Some((node, node.text()?)));
        match (name, value) {
            (Some(name), Some((node, text))) if name.starts_with("ZITADEL_") => told.setting(name, text, node),
            (_, Some((node, _))) => told.hide(node),
            _ => {}
        }
    }
    // What other containers are told is none of the service's settings.
    for other in all.iter().filter(|other| !std::ptr::eq(*other, container)) {
        let variables = other.get(&["env"]).map(Node::items).unwrap_or_default();
        variables.iter().filter_map(|variable| variable.get(&["value"])).for_each(|node| told.hide(node));
    }
}

/// The tag of an image; `latest` names no build, a digest no version.
fn version(image: &str) -> Option<&str> {
    let image = image.split('@').next().unwrap_or(image);
    let name = image.rsplit('/').next().unwrap_or(image);
    name.split_once(':').map(|(_, tag)| tag).filter(|tag| !tag.is_empty() && *tag != "latest")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_tag_of_the_image() {
        for (image, tag) in [
            ("ghcr.io/own/service:v1.2.0", Some("v1.2.0")),
            ("localhost:5000/service", None),
            ("service:latest", None),
            ("service:v1@sha256:00ff", Some("v1")),
            ("service@sha256:00ff", None),
        ] {
            assert_eq!(version(image), tag, "{image}");
        }
    }
}
